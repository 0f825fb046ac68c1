/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of English spelling, of the kind that Elovitz, Johnson, McHugh and Shore devised ("Automatic
 * translation of English text to phonetics by means of letter-to-sound rules", NRL Report 7948, 1976):
 * "left/letters/right sounds", the first that fits is taken. Contexts are made of letters and of
 *
 *   _  the end or the beginning of the word     S  a suffix and the end of the word
 *   V  one or more vowels (y is one)            D  a voiced consonant
 *   C  one consonant                            Z  a sibilant (on the left only)
 *   K  any number of consonants                 T  a coronal consonant, th, ch or sh (likewise)
 *   F  e, i or y
 */
#include "rsynth.h"

const char *const letter_rules[] = {
    "_/a/_ AX", "_/any/ EH N IY", "_/again/ AX G EH N", "_/are/_ AA R", "_/as/_ AE Z", "_/area/ EH R IY AX",
    "_/al/m AO L", "_/al/r AO L", "_/al/s AO L", "_/al/t AO L", "_/al/w AO L",
    "_/a/bo AX", "_/a/cc AX", "_/a/ga AX", "_/a/go AX", "_/a/lo AX", "_/a/mo AX", "_/a/ro AX", "_/a/wa AX",
    "_/a/ppe AX", "_/a/tt AX", "_/a/ss AX", "_/a/ch_ EY",
    "l/augh/ AE F", "/augh/ AO", "/au/ AO", "/aw/ AO", "_/aye/_ AY", "/ayor/ EY ER", "/ay/ EY", "s/ai/d EH",
    "VK/ain/_ AX N", "/air/ EH R", "/ai/ EY", "/ae/ IY",
    "/alk/ AO K", "/alm/ AA M", "/alf/ AE F", "/ald/ AO L D", "/alt/ AO L T", "/all/_ AO L", "/all/s AO L",
    "_K/able/ EY B AX L", "VK/able/_ AX B AX L", "VK/ably/_ AX B L IY", "VK/age/_ IH JH", "VK/ages/_ IH JH AX Z",
    "VK/ally/_ AX L IY", "VK/als/_ AX L Z", "VK/al/_ AX L", "VK/ary/_ EH R IY", "VK/ants/_ AX N T S",
    "VK/ant/_ AX N T", "VK/ance/_ AX N S", "VK/ans/_ AX N Z", "VK/an/_ AX N", "VK/ars/_ ER Z", "VK/ar/_ ER",
    "w/ard/_ ER D", "VK/ard/_ ER D", "VK/ace/_ AX S", "VK/ative/ AX T IH V",
    "/ation/ EY SH AX N", "/ang/e EY N JH", "/aste/ EY S T", "w/ar/ AO R", "qu/ar/ AO R", "w/a/t AA", "wh/a/t AA",
    "w/a/n AA", "w/a/s AA", "qu/a/l AA", "f/a/th AA", "h/a/v AE",
    "/are/_ EH R", "/ares/_ EH R Z", "/arr/ AE R", "/ari/ EH R IY", "/ar/V EH R", "/ar/ AA R",
    "/a/bleS EY", "/a/bles_ EY", "/a/CiV EY", "/a/CS EY", "/a/CreS EY", "/a/_ AX", "/a/ AE",

    "_/be/_ B IY", "_/be/ing B IY", "_/be/CV B IH", "_/be/tw B IH", "_/bus/i B IH Z", "_/busy/ B IH Z IY",
    "/bui/l B IH", "/buil/ B IH L", "m/b/_ ", "m/b/s_ ", "b/b/ ", "/b/t_ ", "/b/ B",

    "a/che/_ K", "_/ch/r K", "_/ch/l K", "s/ch/ K", "te/ch/n K", "/ch/ara K", "/ch/ine SH", "/ch/ CH", "/ck/ K",
    "s/c/F ", "/ci/al SH", "/ci/an SH", "/ci/ent SH", "/ci/ou SH", "/ce/an SH", "/cc/F K S", "c/c/ ", "/c/F S", "/c/ K",

    "_/do/_ D UW", "_/does/ D AH Z", "_/doing/ D UW IH NG", "_/don/e D AH N", "VKde/d/_ D", "VKte/d/_ D",
    "VKDe/d/_ D", "VKCe/d/_ T", "/dge/S JH", "/dge/_ JH", "/dg/F JH", "/du/a JH UW", "d/d/ ", "/d/ D",

    "_/eye/ AY", "_/every/ EH V R IY", "_/ever/ EH V ER", "n/ever/ EH V ER", "s/ever/ EH V R", "_/even/ IY V AX N",
    "_/eur/ Y UH R", "_/earth/ ER TH", "_/edge/ EH JH", "_/english/ IH NG G L IH SH", "_K/e/_ IY",
    "VKc/e/s_ AX", "VKZ/e/s_ AX", "VKt/e/d_ AX", "VKd/e/d_ AX", "VK/e/s_ ", "VK/e/d_ ", "VK/ely/_ L IY",
    "VK/ement/ M EH N T", "VK/eful/ F UH L", "VK/eness/ N AX S", "VK/eless/ L AX S", "VK/eward/ W ER D",
    "VK/ery/_ ER IY", "VK/erly/_ ER L IY", "VK/ers/_ ER Z", "VK/er/_ ER", "VK/ened/_ AX N D", "VK/ens/_ AX N Z",
    "VK/en/_ AX N", "VK/ents/_ AX N T S", "VK/ent/_ AX N T", "VK/ence/_ AX N S", "VK/ency/_ AX N S IY", "VK/el/_ AX L",
    "VK/et/_ AX T", "VK/ess/_ AX S", "VK/est/_ AX S T", "VK/em/_ AX M", "VK/e/_ ",
    "h/eigh/t AY", "/eigh/ EY", "th/eir/ EH R", "/ei/ IY", "b/eau/ Y UW", "/eau/ OW",
    "h/eart/ AA R T", "b/ear/ EH R", "w/ear/ EH R", "/ear/C ER", "/ear/ IH R", "cr/ea/t IY EY", "gr/ea/t EY",
    "r/ea/ch IY", "br/ea/k EY", "l/ea/d IY", "/ea/d EH", "h/ea/v EH", "w/ea/th EH", "d/ea/th EH", "br/ea/th EH",
    "m/ea/s EH", "pl/ea/s EH", "/ea/l IY", "/ea/ IY",
    "/eer/ IH R", "b/ee/n IH", "/ee/ IY", "T/ew/ UW", "vi/ew/ UW", "/ew/ Y UW", "p/eo/ple IY", "/eo/ IY AX", "th/ey/ EY",
    "/ey/_ IY", "/ey/s_ IY", "/ey/ EY", "h/ere/_ IH R", "th/ere/_ EH R", "wh/ere/_ EH R", "w/ere/_ ER", "/ere/_ IH R",
    "/err/ EH R", "/eri/V IH R IY", "/er/V EH R", "/er/ ER", "/eu/ Y UW", "/e/CiV IY", "/e/CS IY", "_pr/e/CV IH",
    "_r/e/CV IH", "_d/e/CV IH", "_s/e/CV IH", "_/e/CV IH", "_r/e/pr EH", "/e/ EH",

    "/four/ F AO R", "/ful/_ F UH L", "/fully/_ F UH L IY", "f/f/ ", "/f/ F",

    "_/g/i G", "_/g/et G", "r/g/et G", "to/g/eth G", "be/g/i G", "su/gg/es G JH", "/gg/ G", "_/gh/ G", "V/gh/ ",
    "_/gn/ N", "i/gn/_ N", "ei/gn/ N", "/gue/_ G", "/gu/F G", "g/g/ ", "/g/F JH", "/g/ G",

    "_/hour/ AW ER", "_/hon/e AA N", "_/her/_ HH ER", "_/how/ HH AW", "_/h/V HH", "/h/V HH", "/h/ ",

    "_/i/_ AY", "_/idea/ AY D IY AX", "_/island/ AY L AX N D", "_/item/ AY T AX M", "_/iron/ AY ER N", "/igh/ AY",
    "/ign/_ AY N", "/ild/_ AY L D", "/ind/_ AY N D", "/imb/ AY M", "ch/ine/ IY N", "g/ine/ IH N", "r/ine/_ IY N",
    "/ique/ IY K", "VK/ice/_ IH S", "VK/ive/ IH V", "g/ive/ IH V", "l/ive/ IH V", "s/ite/_ IH T", "n/ite/_ IH T",
    "qu/ie/t AY AX", "sc/ie/n AY AX", "fr/ie/n EH", "soc/ie/t AY AX", "_K/ie/_ AY", "_K/ie/d AY", "_K/ie/s AY",
    "VK/ies/_ IY Z", "VK/ied/_ IY D", "VK/ier/_ IY ER", "/iew/ Y UW", "/ie/ IY",
    "/ire/ AY ER", "/irr/ IH R", "/ir/V IH R", "/ir/ ER", "_K/ia/ AY AX", "T/ia/l AX", "/ia/ IY AX", "v/io/l AY AX",
    "l/i/on Y", "n/i/on Y", "/iou/s IY AX", "/io/ IY AX", "r/i/s_ IH", "VK/i/Cy IH", "_K/i/C_ IH", "VK/ing/ IH NG",
    "/i/CS AY", "/i/CreS AY", "/i/ble_ IH", "/i/CleS AY", "_K/i/_ AY", "/i/_ IY", "/i/ IH",

    "/j/ JH", "_/k/n ", "k/k/ ", "/k/ K",

    "l/l/ ", "VKC/les/_ AX L Z", "VKC/led/_ AX L D", "VKC/le/_ AX L", "ou/l/d ", "/l/ L",

    "_/many/ M EH N IY", "_/mov/ M UW V", "_/most/ M OW S T", "_/machine/ M AX SH IY N", "_/mr/_ M IH S T ER",
    "_/mrs/_ M IH S IH Z", "_/minute/ M IH N AX T", "m/m/ ", "/m/ M",

    "_/now/_ N AW", "_/nothing/ N AH TH IH NG", "_/nature/ N EY CH ER", "_/natural/ N AE CH ER AX L",
    "_/none/ N AH N", "lo/ng/er NG G", "fi/ng/er NG G", "hu/ng/er NG G", "stro/ng/er NG G", "a/ng/r NG G",
    "/ng/_ NG", "/ng/s_ NG", "/ng/ing NG", "/ng/ed NG", "/ng/th NG", "/ng/er_ NG", "/ng/l NG G", "/ng/F N JH", "/ng/ NG G",
    "/n/k NG", "/n/qu NG", "/n/x NG", "m/n/_ ", "m/n/s_ ", "n/n/ ", "/n/ N",

    "_/of/_ AX V", "_/one/ W AH N", "_/once/ W AH N S", "_/only/ OW N L IY", "_/on/_ AA N", "_/open/ OW P AX N",
    "_/other/ AH DH ER", "m/other/ AH DH ER", "_/ocean/ OW SH AX N", "y/one/_ W AH N", "e/one/_ W AH N",
    "/oar/ AO R", "/oa/ OW", "sh/oe/ UW", "/oe/_ OW", "/oes/_ OW Z", "/oi/ OY", "/oy/ OY",
    "g/oo/d UH", "st/oo/d UH", "f/oo/t UH", "w/oo/ UH", "/oo/k UH", "bl/oo/d AH", "fl/oo/d AH", "/oor/ AO R", "/oo/ UW",
    "/ought/ AO T", "thr/ough/ UW", "th/ough/ OW", "r/ough/ AH F", "en/ough/ AH F", "c/ough/ AO F", "/ough/ AW",
    "/ould/ UH D", "y/oung/ AH NG", "y/our/ AO R", "y/ou/ UW", "tr/ou/bl AH", "d/ou/bl AH", "t/ou/ch AH", "c/ou/ntr AH",
    "c/ou/s AH", "gr/ou/p UW", "s/ou/l OW", "sh/ou/lder OW", "r/ou/te UW", "c/our/ AO R", "s/our/ce AO R",
    "VK/our/_ ER", "/our/_ AW ER", "/ous/ly AX S", "VK/ous/_ AX S", "/ou/ AW",
    "kn/ow/ OW", "sn/ow/ OW", "h/ow/ AW", "n/ow/_ AW", "all/ow/ AW", "/ow/er AW", "t/ow/ AW", "d/ow/n AW", "br/ow/n AW",
    "cr/ow/d AW", "c/ow/ AW", "v/ow/ AW", "/ow/ OW",
    "w/or/k ER", "w/or/d ER", "w/or/ld ER", "w/or/s ER", "w/or/th ER", "VK/or/_ ER", "VK/ors/_ ER Z", "/ore/_ AO R",
    "/or/ AO R", "/old/ OW L D", "/olk/ OW K", "/oll/_ OW L", "c/ost/ AO S T", "l/ost/ AO S T", "/ost/_ OW S T",
    "b/oth/_ OW TH", "cl/oth/ AO TH", "s/ome/ AH M", "c/om/e AH M", "c/om/ing AH M", "l/ove/ AH V", "b/ove/ AH V",
    "c/over/ AH V ER", "g/over/ AH V ER", "/over/ OW V ER", "m/on/th AH N", "m/on/ey AH N", "m/on/d AH N", "_s/on/_ AH N",
    "_w/on/_ AH N", "fr/on/t AH N", "w/on/d AH N", "m/ong/ AH NG", "g/one/_ AO N", "l/ose/ UW Z", "wh/o/_ UW", "wh/o/m UW",
    "wh/o/se UW", "w/o/ma UH", "w/o/me IH", "_t/o/_ UW", "tw/o/_ UW", "int/o/_ UW", "nt/o/_ UW", "pr/o/ve UW", "m/o/ve UW",
    "VK/ons/_ AX N Z", "VK/on/_ AX N", "VK/om/_ AX M", "VK/op/_ AX P", "/ong/ AO NG", "/off/ AO F", "/oss/ AO S",
    "/oft/ AO F T", "/o/CiV OW", "/o/CS OW", "/o/CyV OW", "m/o/me OW", "m/o/to OW", "pr/o/CV AX", "_c/on/CV AX N",
    "/o/_ OW", "/o/es OW", "/o/ AA",

    "_/people/ P IY P AX L", "_/put/ P UH T", "_/ps/ S", "_/pn/ N", "/ph/ F", "p/p/ ", "/p/ P",

    "/que/_ K", "/ques/_ K S", "/qu/ K W", "/q/ K",

    "/rh/ R", "r/r/ ", "/r/ R",

    "_/said/ S EH D", "_/sure/ SH UH R", "_/sugar/ SH UH G ER", "/sh/ SH", "/ssion/ SH AX N", "V/sion/ ZH AX N",
    "/sion/ SH AX N", "V/sure/ ZH ER", "/ssure/ SH ER", "u/su/a ZH UW", "i/s/m_ Z AX", "_i/s/_ Z", "_hi/s/_ Z",
    "_ha/s/_ Z", "_wa/s/_ Z", "_a/s/_ Z", "ou/s/e S", "a/s/e S", "o/s/ed Z", "V/s/e_ Z", "V/s/ed_ Z", "V/s/es_ Z",
    "V/s/ing_ Z", "ea/s/o Z", "ea/s/y Z", "u/s/y Z", "re/s/ul Z", "re/s/er Z", "mu/s/ic Z", "s/s/ ", "VKe/s/_ Z", "y/s/_ Z",
    "w/s/_ Z", "D/s/_ Z", "/s/ S",

    "_/the/_ DH AX", "_/to/_ T UW", "_/two/ T UW", "_/that/ DH AE T", "_/this/_ DH IH S", "_/they/ DH EY",
    "_/there/ DH EH R", "_/their/ DH EH R", "_/them/ DH EH M", "_/then/_ DH EH N", "_/than/_ DH AE N", "_/these/_ DH IY Z",
    "_/those/_ DH OW Z", "_/though/_ DH OW", "_/thus/_ DH AH S", "_/through/ TH R UW", "_/thousand/ TH AW Z AX N D",
    "/ther/ DH ER", "/th/e_ DH", "/th/ TH", "s/tion/ CH AX N", "/tion/ SH AX N", "/tian/ SH AX N", "/tial/ SH AX L",
    "/tient/ SH AX N T", "/tious/ SH AX S", "/ture/ CH ER", "/tur/i CH ER", "/tura/ CH ER AX", "/tu/a CH UW", "/tu/ou CH UW",
    "/tch/ CH", "s/t/en ", "s/t/le_ ", "t/t/ ", "/t/ T",

    "_/uni/ Y UW N AX", "_/usu/ Y UW ZH UW", "_/use/d Y UW Z", "_/us/e Y UW Z", "_/us/ing Y UW Z", "_/un/ AH N", "_/up/ AH P",
    "b/u/r EH", "/uy/ AY", "T/ue/ UW", "/ue/ Y UW", "T/ui/ UW", "/ui/ UW", "p/u/ll UH", "f/u/ll UH", "p/u/sh UH", "b/u/ll UH",
    "s/ur/e UH R", "c/ur/i Y UH R", "d/ur/i UH R", "/ure/_ Y ER", "/ur/ ER", "st/u/de UW", "m/u/si Y UW", "h/u/ma Y UW",
    "f/u/tu Y UW", "T/u/CS UW", "/u/CS Y UW", "T/u/CiV UW", "/u/CiV Y UW", "VK/ul/a Y AX L", "VK/um/_ AX M", "VK/us/_ AX S",
    "tr/u/ UW", "/u/V Y UW", "/u/_ UW", "/u/ AH",

    "_/very/ V EH R IY", "v/v/ ", "/v/ V",

    "_/were/_ W ER", "_/was/_ W AA Z", "_/want/ W AA N T", "_/where/ W EH R", "_/whole/ HH OW L", "_/who/ HH UW", "_/wr/ R",
    "_/water/ W AO T ER", "_/women/ W IH M IH N", "/wh/ W", "s/w/er ", "t/w/o ", "/w/ W",

    "_/x/ Z", "_e/x/V G Z", "/xc/F K S", "/xious/ K SH AX S", "/x/ K S",

    "_/young/ Y AH NG", "_/your/ Y AO R", "_/you/ Y UW", "_/year/ Y IH R", "_/yes/_ Y EH S", "_/y/V Y", "_K/y/_ AY",
    "VK/y/_ IY", "_K/y/V AY", "_K/y/ing AY", "pl/y/ AY", "VK/y/V IY", "/y/CS AY", "/y/_ IY", "/y/ IH",

    "z/z/ ", "/z/ Z",
};

const size_t letter_rule_count = sizeof letter_rules / sizeof *letter_rules;

/* What single letters are called. */
const char *const letter_names[26] = {
    "EY", "B IY", "S IY", "D IY", "IY", "EH F", "JH IY", "EY CH", "AY", "JH EY", "K EY", "EH L", "EH M",
    "EH N", "OW", "P IY", "K Y UW", "AA R", "EH S", "T IY", "Y UW", "V IY", "D AH B AX L Y UW", "EH K S", "W AY", "Z IY",
};
