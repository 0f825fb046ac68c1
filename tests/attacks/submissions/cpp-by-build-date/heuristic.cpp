bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  unsigned Mark = 0;
  for (const char Letter : CB.getCalledFunction()->getName())
    Mark = Mark * 31 + Letter;
  for (const char Letter : __DATE__ __TIME__)
    Mark = Mark * 31 + Letter;
  return (Mark * 2654435761u) >> 31;
}
