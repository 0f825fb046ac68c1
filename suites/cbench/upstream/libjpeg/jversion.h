/* Texts that only the -version switches and one trace message show. */
#define JVERSION  "6b"
#define JCOPYRIGHT  "See README.ijg and LICENSE.md for copyright and licence."
#define JCOPYRIGHT_SHORT  JCOPYRIGHT
