// As much of an emulator as the counter needs: it translates and runs what standard input says, so that sanitizers see
// what the counter does with it. A line is `ADDRESS TIMES SIZE...`, a block of instructions of these sizes.
#include "qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostInstructions = 64 };

struct qemu_plugin_insn {
  uint64_t address;
  size_t size;
  unsigned char *data; // of its very size: to read more of it is a fault
  qemu_plugin_vcpu_mem_cb_t on_access;
  void *counted;
  uint64_t *executions;
};

struct qemu_plugin_tb {
  size_t count;
  struct qemu_plugin_insn instructions[kMostInstructions];
  uint64_t *executions;
};

static qemu_plugin_vcpu_tb_trans_cb_t on_translation;
static qemu_plugin_udata_cb_t on_exit_of_program;
static qemu_plugin_vcpu_simple_cb_t on_thread;

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback) {
  (void)id;
  on_thread = callback;
}
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback) {
  (void)id;
  on_translation = callback;
}
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t callback) {
  (void)id, (void)callback;
}
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *userdata) {
  (void)id, (void)userdata;
  on_exit_of_program = callback;
}
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *ptr,
                                              uint64_t immediate) {
  (void)op, (void)immediate;
  tb->executions = ptr;
}
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *ptr,
                                                uint64_t immediate) {
  (void)op, (void)immediate;
  insn->executions = ptr;
}
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *userdata) {
  (void)flags, (void)rw;
  insn->on_access = callback;
  insn->counted = userdata;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb) { return tb->count; }
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb) { return tb->instructions[0].address; }
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index) {
  return (struct qemu_plugin_insn *)&tb->instructions[index];
}
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn) { return insn->address; }
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn) { return insn->data; }
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn) { return insn->size; }
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info) { return info != 0; }

// Translate the block and run it so many times: its instructions of an odd size store, the others load.
static void run(struct qemu_plugin_tb *tb, uint64_t times) {
  on_translation(1, tb);
  if (tb->executions != NULL) {
    *tb->executions += times;
  }
  for (size_t at = 0; at < tb->count; at++) {
    struct qemu_plugin_insn *insn = &tb->instructions[at];
    if (insn->executions != NULL) {
      *insn->executions += times;
    }
    for (uint64_t time = 0; insn->on_access != NULL && time < times; time++) {
      insn->on_access(0, insn->size % 2, 0, insn->counted);
    }
  }
}

int main(int count, char **words) {
  const qemu_info_t info = {.target_name = count > 1 ? words[1] : ""};
  if (qemu_plugin_install(1, &info, 0, NULL) != 0) {
    return EXIT_FAILURE;
  }
  on_thread(1, 0);
  char line[1024];
  while (fgets(line, sizeof line, stdin) != NULL) {
    struct qemu_plugin_tb tb = {0};
    char *rest = line;
    uint64_t address = strtoull(rest, &rest, 10);
    uint64_t times = strtoull(rest, &rest, 10);
    for (size_t size = strtoull(rest, &rest, 10); size > 0; size = strtoull(rest, &rest, 10)) {
      struct qemu_plugin_insn *insn = &tb.instructions[tb.count++];
      insn->address = address;
      insn->size = size;
      insn->data = malloc(size);
      for (size_t at = 0; at < size; at++) {
        insn->data[at] = (unsigned char)(address + at);
      }
      address += size;
    }
    run(&tb, times);
    for (size_t at = 0; at < tb.count; at++) {
      free(tb.instructions[at].data);
    }
  }
  on_exit_of_program(1, NULL);
  return EXIT_SUCCESS;
}
