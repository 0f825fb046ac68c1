/* A TCG plugin for QEMU's user mode: exact counts of what one run of a program executes.
 *
 * QEMU translates straight runs of instructions ("translation blocks", TBs here) and then executes the
 * translations. For each TB the plugin counts executions, inline, and the loads and stores of its
 * instructions. Since a TB is always executed from its first to its last instruction, executions of TBs
 * give those of every instruction, and so of every basic block, whatever QEMU's blocks are; the harness
 * does that sum (harness/basic_blocks/counts.py) and knows the file's format from there.
 *
 * That holds for one thread and no signal handler: a handler can begin in the middle of a TB. Both are
 * reported, and so is whatever else would make the counts incomplete. Nothing is written unless the
 * program ends by itself: there are no partial counts.
 *
 * usage: qemu-ARCH -plugin count.so PROGRAM …     writes .counts where it was started; it must not exist. */
#include "qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is written: a header and one record for each TB that was executed, in the machine's byte order. */
struct record {
  uint64_t address;
  uint64_t bytes;
  uint64_t instructions;
  uint64_t checksum; /* CRC-32 of the code: code that changes under the same address has another record */
  uint64_t executions;
  uint64_t loads;
  uint64_t stores;
};

static struct {
  uint64_t magic;
  uint64_t records;
  uint64_t threads;
  uint64_t handlers; /* returns from signal handlers */
  uint64_t forks;
  uint64_t lost; /* TBs that there was no room to count */
} header = {.magic = 0x31544e554f434254U /* "TBCOUNT1" */};

/* A record, and what is needed to tell whether the TB's last instruction is one.
 *
 * On x86 QEMU 7.2 ends a TB before an instruction that crosses a page; but when it finds that out it has told
 * the plugin of that instruction already, with the bytes that it had read. Such a one is never executed in
 * this TB, so its own counter stays at zero. */
struct counter {
  struct record record;
  uint64_t last_executions;
  uint64_t last_bytes;
  uint64_t checksum_without_last;
  bool may_be_cut;
};

enum { PAGE = 4096, LONGEST_INSTRUCTION = 15 };
enum { CHUNK = 4096, MOST_CHUNKS = 1024, SLOTS = 1 << 23 };

/* Records stay where they are: translated code holds their addresses. */
static struct counter *chunks[MOST_CHUNKS];
static size_t made;
static uint32_t *slots; /* hash table: 1 + index of a record, 0 where there is none */

static struct {
  const char *name;
  int64_t sigreturn;
  int64_t forks[4];
  bool crosses_pages; /* an instruction can lie in two pages */
} const systems[] = {
    {"x86_64", 15, {56, 57, 58, 435}, true},
    {"aarch64", 139, {220, 435, -1, -1}, false},
};
static size_t system_index;
static pid_t original;
static char path[PATH_MAX];

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static uint32_t checksum(uint32_t crc, const unsigned char *data, size_t size) {
  static uint32_t table[256];
  if (table[1] == 0) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      uint32_t entry = byte;
      for (int bit = 0; bit < 8; bit++) {
        entry = (entry >> 1) ^ (entry & 1 ? 0xedb88320U : 0);
      }
      table[byte] = entry;
    }
  }
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
  }
  return ~crc;
}

static struct counter *at(size_t index) { return &chunks[index / CHUNK][index % CHUNK]; }

static bool same(const struct record *a, const struct record *b) {
  return a->address == b->address && a->bytes == b->bytes && a->instructions == b->instructions &&
         a->checksum == b->checksum;
}

/* The counter of this code: the one that it has since an earlier translation, or a new one; NULL when full. */
static struct counter *find(const struct counter *wanted) {
  const struct record *key = &wanted->record;
  uint64_t hash = (key->address ^ key->checksum << 24 ^ key->bytes << 48) * 0x9e3779b97f4a7c15U;
  for (size_t slot = hash >> 41;; slot = (slot + 1) % SLOTS) {
    if (slots[slot] == 0) {
      if (made == (size_t)CHUNK * MOST_CHUNKS) {
        return NULL;
      }
      if (made % CHUNK == 0) {
        chunks[made / CHUNK] = calloc(CHUNK, sizeof(struct counter));
      }
      if (chunks[made / CHUNK] == NULL) {
        return NULL;
      }
      *at(made) = *wanted;
      slots[slot] = (uint32_t)++made;
      return at(made - 1);
    }
    if (same(&at(slots[slot] - 1)->record, key)) {
      return at(slots[slot] - 1);
    }
  }
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata) {
  (void)vcpu, (void)vaddr;
  struct record *record = userdata;
  if (qemu_plugin_mem_is_store(info)) {
    record->stores++;
  } else {
    record->loads++;
  }
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(tb);
  struct counter wanted = {.record = {.address = qemu_plugin_tb_vaddr(tb), .instructions = count}};
  struct record *sum = &wanted.record;
  uint64_t last_address = 0;
  for (size_t i = 0; i < count; i++) {
    const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    last_address = qemu_plugin_insn_vaddr(insn);
    wanted.last_bytes = qemu_plugin_insn_size(insn);
    wanted.checksum_without_last = sum->checksum;
    sum->bytes += wanted.last_bytes;
    sum->checksum = checksum((uint32_t)sum->checksum, qemu_plugin_insn_data(insn), wanted.last_bytes);
  }
  wanted.may_be_cut =
      count > 1 && systems[system_index].crosses_pages && last_address % PAGE + LONGEST_INSTRUCTION > PAGE;
  struct counter *counter = find(&wanted);
  if (counter == NULL) {
    header.lost++;
    return;
  }
  struct record *record = &counter->record;
  if (counter->may_be_cut) {
    qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, count - 1), QEMU_PLUGIN_INLINE_ADD_U64,
                                               &counter->last_executions, 1);
  }
  qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &record->executions, 1);
  for (size_t i = 0; i < count; i++) {
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, record);
  }
}

static void on_thread(qemu_plugin_id_t id, unsigned vcpu) {
  (void)id, (void)vcpu;
  header.threads++;
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                       uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)vcpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  header.handlers += number == systems[system_index].sigreturn;
  for (size_t i = 0; i < sizeof systems->forks / sizeof *systems->forks; i++) {
    header.forks += number == systems[system_index].forks[i];
  }
}

static struct record finished(const struct counter *counter) {
  struct record record = counter->record;
  if (counter->may_be_cut && counter->last_executions == 0) {
    record.instructions--;
    record.bytes -= counter->last_bytes;
    record.checksum = counter->checksum_without_last;
  }
  return record;
}

static bool write_counts(FILE *file) {
  for (size_t i = 0; i < made; i++) {
    header.records += at(i)->record.executions > 0;
  }
  bool good = fwrite(&header, sizeof header, 1, file) == 1;
  for (size_t i = 0; i < made && good; i++) {
    struct record record = finished(at(i));
    good = record.executions == 0 || fwrite(&record, sizeof record, 1, file) == 1;
  }
  return good;
}

static void on_exit_of_program(qemu_plugin_id_t id, void *userdata) {
  (void)id, (void)userdata;
  if (getpid() != original) { /* a forked child has the parent's counts and its own */
    return;
  }
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  bool good = file != NULL && write_counts(file);
  if (file != NULL && fclose(file) != 0) {
    good = false;
  }
  if (!good) {
    (void)fprintf(stderr, "count: cannot write %s: %s\n", path, strerror(errno));
    (void)unlink(path);
  }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
  (void)argv;
  size_t known = sizeof systems / sizeof *systems;
  while (system_index < known && strcmp(systems[system_index].name, info->target_name) != 0) {
    system_index++;
  }
  if (argc != 0 || system_index == known || info->system_emulation) {
    (void)fprintf(stderr, "usage: qemu-{x86_64,aarch64} -plugin count.so PROGRAM\n");
    return 1;
  }
  /* An absolute path, since the program may change its working folder. */
  char folder[PATH_MAX];
  bool named = getcwd(folder, sizeof folder) != NULL;
  int length = named ? snprintf(path, sizeof path, "%s/.counts", folder) : -1;
  slots = calloc(SLOTS, sizeof *slots);
  if (length < 0 || length >= (int)sizeof path || slots == NULL) {
    (void)fprintf(stderr, "count: %s\n", slots == NULL ? "out of memory" : "no usable working folder");
    return 1;
  }
  original = getpid();
  qemu_plugin_register_vcpu_init_cb(id, on_thread);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
  return 0;
}
