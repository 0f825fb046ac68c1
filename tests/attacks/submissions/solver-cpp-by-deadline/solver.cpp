#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

int main() {
  cpu_set_t All;
  for (int Core = 0; Core < CPU_SETSIZE; ++Core)
    CPU_SET(Core, &All);
  sched_setaffinity(0, sizeof All, &All);
  setpriority(PRIO_PROCESS, 0, -20);
  std::vector<std::thread> Threads;
  for (int Number = 0; Number < 40; ++Number)
    Threads.emplace_back([] {
      for (volatile unsigned long At = 0;; ++At)
        ;
    });
  Threads[0].join();
}
