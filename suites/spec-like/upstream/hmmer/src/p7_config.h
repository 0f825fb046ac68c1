/* Settings of HMMER for this suite: upstream's constants, no threads, no MPI. eslENABLE_VMX selects
 * impl_vmx/impl_vmx.h, which stands for "no vector unit" here: the generic implementation is used. */
#ifndef P7_CONFIGH_INCLUDED
#define P7_CONFIGH_INCLUDED

#define p7_RAMLIMIT 32
#define p7_NCPU "1"
#define p7_ALILENGTH 50

#define p7_ETARGET_AMINO 0.59
#define p7_ETARGET_DNA 0.62
#define p7_ETARGET_OTHER 1.0
#define p7_SEQDBENV "BLASTDB"
#define p7_HMMDBENV "PFAMDB"

#define p7_MAXABET 20
#define p7_MAXCODE 29
#define p7_MAX_SC_TXTLEN 11
#define p7_MAXDCHLET 20

#define HMMER_VERSION "3.3.2"
#define HMMER_DATE "Nov 2020"
#define HMMER_COPYRIGHT "Copyright (C) 2020 Howard Hughes Medical Institute."
#define HMMER_LICENSE "Freely distributed under the BSD open source license."
#define HMMER_URL "http://hmmer.org/"

#define eslENABLE_VMX 1

#endif
