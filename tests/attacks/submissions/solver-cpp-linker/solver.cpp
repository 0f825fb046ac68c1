#pragma comment(lib, "@SECRET@")
asm(".section .deplibs,\"MS\",@llvm_dependent_libraries,1\n.asciz \"@SECRET@\"\n.text\n");

int main() { return 3; }
