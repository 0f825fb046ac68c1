/* No vector implementation: hmmer.h names these types, and this suite's program makes none of them. */
#ifndef P7_IMPL_NONE_INCLUDED
#define P7_IMPL_NONE_INCLUDED

typedef struct p7_oprofile_s P7_OPROFILE;
typedef struct p7_omx_s P7_OMX;
typedef struct p7_om_block_s P7_OM_BLOCK;

#endif
