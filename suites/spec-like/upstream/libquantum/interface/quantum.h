/* What shor.c needs of libquantum's interface. Upstream's configure makes its quantum.h from a
 * template; this stands in its place, with the same types as config.h. */
#ifndef LIBQUANTUM_QUANTUM_H
#define LIBQUANTUM_QUANTUM_H

typedef struct quantum_reg_struct {
    int width;
    int size;
    int hashw;
    float _Complex *amplitude;
    unsigned long long *state;
    int *hash;
} quantum_reg;

quantum_reg quantum_new_qureg(unsigned long long initval, int width);
void quantum_delete_qureg(quantum_reg *reg);
void quantum_addscratch(int bits, quantum_reg *reg);

void quantum_cnot(int control, int target, quantum_reg *reg);
void quantum_hadamard(int target, quantum_reg *reg);
void quantum_qft(int width, quantum_reg *reg);
void quantum_exp_mod_n(int N, int x, int width_input, int width, quantum_reg *reg);

unsigned long long quantum_measure(quantum_reg reg);
int quantum_bmeasure(int pos, quantum_reg *reg);

int quantum_ipow(int a, int b);
int quantum_gcd(int u, int v);
void quantum_frac_approx(int *a, int *b, int width);
int quantum_getwidth(int n);

#endif
