/* p7_Calibrate() needs a vector implementation, of which this suite has none. It is called for
 * profiles of HMMER 2 alone; those of HMMER 3 bring their statistics along. */
#include "p7_config.h"

#include "easel.h"

#include "hmmer.h"

int p7_Calibrate(P7_HMM *hmm, P7_BUILDER *cfg_b, ESL_RANDOMNESS **byp_rng, P7_BG **byp_bg, P7_PROFILE **byp_gm,
                 P7_OPROFILE **byp_om)
{
    (void)hmm;
    (void)cfg_b;
    (void)byp_rng;
    (void)byp_bg;
    (void)byp_gm;
    (void)byp_om;
    return eslEUNIMPLEMENTED;
}
