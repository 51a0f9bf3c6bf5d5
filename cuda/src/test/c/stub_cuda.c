/*
 * A stand-in for libcuda.so.1 without a device, for tests. Device memory is malloc'ed; copies run on one thread
 * per stream, some time after the call that asked for them, like those of a real driver. It writes down every
 * call, checks the arguments, and watches what a real driver would read behind the program's back: a source that
 * is unregistered, unmapped or overwritten before its copy has completed is noted in the log.
 *
 * Log: one line per event, "SEQUENCE EVENT name=value ... code=N done=0|1". done tells whether the call took
 * effect, whatever it returned.
 *
 * Faults: a list, separated by commas, of FUNCTION=ACTION[@N]. The action happens at the N-th call of the
 * function (1 when left out, * for each). Actions: fail(CODE) does nothing and returns the code; late(CODE) does
 * it and returns the code; delay(MILLIS) has a copy complete that much later, and any other call take so long;
 * block(MILLIS) has any call not return until all faults are ended, or so long. A list that is malformed or too
 * long ends the process.
 *
 * Configured by stubConfigure, or before it by the environment: HOLDFAST_STUB_LOG, HOLDFAST_STUB_FAULTS,
 * HOLDFAST_STUB_DEVICES, HOLDFAST_STUB_REGISTER_LIMIT (bytes that may be registered at a time).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  ALREADY_REGISTERED = 712,
  NOT_REGISTERED = 713,
};

enum { ATTRIBUTE_MEMORY_TYPE = 2, MEMORY_TYPE_HOST = 1 };

#define PAGE 4096UL
#define PIECE (256UL << 10)
#define MAX_FAULTS 256
#define MAX_DEVICES 16
#define MAX_CONTEXTS 256

typedef struct fault {
  char function[40];
  char action[8];
  long argument;
  long at; /* 0 for each call */
} fault;

typedef struct counter {
  char function[40];
  long calls;
} counter;

typedef struct range {
  uintptr_t address;
  size_t bytes;
  int reported;
  int context; /* the device whose context was current */
  struct range *next;
} range;

typedef struct event {
  long recorded;
  long reached;
  int destroyed;
} event;

typedef struct task {
  enum { COPY_TO_DEVICE, COPY_TO_HOST, RECORD, WAIT, CALL } what;
  long id;
  uintptr_t host;
  uintptr_t device;
  size_t bytes;
  uint64_t sum;
  int registered;
  long delay;
  event *event;
  long generation;
  void (*function)(void *);
  void *argument;
  struct task *next;
} task;

typedef struct stream {
  long id;
  int destroyed;
  int pending;
  int context; /* the device it belongs to */
  task *first;
  task *last;
  struct stream *next;
} stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static FILE *out;
static long sequence;
static fault faults[MAX_FAULTS];
static int fault_count;
static long fault_plans; /* counts changes of the list */
static counter counters[64];
static int counter_count;
static int devices = 1;
static unsigned long register_limit = ~0UL;
static int initialized;
static int configured;
static range *registered;
static range *allocated;
static stream *streams;
static stream default_stream;
static long next_id = 1;
static int contexts[MAX_DEVICES];
static __thread uintptr_t current[MAX_CONTEXTS];
static __thread int depth;

static void note(const char *format, ...) {
  va_list arguments;
  if (out == NULL) return;
  fprintf(out, "%ld ", ++sequence);
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
  fflush(out);
}

static void reject(const char *what, const char *text) {
  fprintf(stderr, "stub_cuda: %s: %s\n", what, text);
  abort();
}

static void add_fault(const char *entry) {
  fault *f = &faults[fault_count];
  char at[16] = "1";
  char *rest;
  int length = 0;
  if (fault_count == MAX_FAULTS) reject("too many faults", entry);
  if (sscanf(entry, "%39[^=]=%7[a-z](%ld)%n@%15s%n", f->function, f->action, &f->argument, &length, at, &length) < 3 ||
      length == 0 || entry[length] != 0) {
    reject("not a fault", entry);
  }
  if (strcmp(f->action, "fail") != 0 && strcmp(f->action, "late") != 0 && strcmp(f->action, "delay") != 0 &&
      strcmp(f->action, "block") != 0) {
    reject("not an action", entry);
  }
  f->at = strtol(at, &rest, 10);
  if (strcmp(at, "*") != 0 && (*rest != 0 || f->at <= 0)) reject("not a number of a call", entry);
  fault_count++;
}

static void configure(const char *log, const char *plan, int device_count, unsigned long limit) {
  char copy[16384];
  char *rest = plan == NULL || *plan == 0 ? NULL : copy;
  char *entry;
  if (out != NULL) fclose(out);
  out = log != NULL && *log ? fopen(log, "a") : NULL;
  sequence = 0;
  devices = device_count < MAX_DEVICES ? device_count : MAX_DEVICES;
  register_limit = limit == 0 ? ~0UL : limit;
  fault_count = 0;
  fault_plans++;
  pthread_cond_broadcast(&changed);
  counter_count = 0;
  configured = 1;
  if (rest == NULL) return;
  if (strlen(plan) >= sizeof copy) reject("too long a list of faults", plan);
  strcpy(copy, plan);
  while ((entry = strsep(&rest, ",")) != NULL) add_fault(entry);
}

static void configure_once(void) {
  const char *count = getenv("HOLDFAST_STUB_DEVICES");
  const char *limit = getenv("HOLDFAST_STUB_REGISTER_LIMIT");
  if (configured) return;
  configure(getenv("HOLDFAST_STUB_LOG"), getenv("HOLDFAST_STUB_FAULTS"), count == NULL ? 1 : atoi(count),
            limit == NULL ? 0 : strtoul(limit, NULL, 10));
}

static counter *counter_of(const char *function) {
  int i;
  for (i = 0; i < counter_count; i++) {
    if (strcmp(counters[i].function, function) == 0) return &counters[i];
  }
  memset(&counters[i], 0, sizeof counters[i]);
  snprintf(counters[i].function, sizeof counters[i].function, "%s", function);
  counter_count++;
  return &counters[i];
}

static void pause_millis(long millis) {
  struct timespec time = {millis / 1000, millis % 1000 * 1000000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

/* With the lock, which others can take meanwhile. */
static void block_millis(long millis) {
  long plan = fault_plans;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += millis / 1000;
  while (plan == fault_plans && pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT) {
  }
}

static long thread_id(void) { return syscall(SYS_gettid); }

static int is_mapped(uintptr_t address, size_t bytes) {
  uintptr_t from = address & ~(PAGE - 1);
  uintptr_t to = (address + bytes + PAGE - 1) & ~(PAGE - 1);
  unsigned char pages[1024];
  while (from < to) {
    size_t part = to - from < sizeof pages * PAGE ? to - from : sizeof pages * PAGE;
    if (mincore((void *)from, part, pages) != 0) return 0;
    from += part;
  }
  return 1;
}

static range *find_overlap(range *list, uintptr_t address, size_t bytes) {
  for (; list != NULL; list = list->next) {
    if (address < list->address + list->bytes && list->address < address + bytes) return list;
  }
  return NULL;
}

static range *find_around(range *list, uintptr_t address, size_t bytes) {
  for (; list != NULL; list = list->next) {
    if (address >= list->address && address + bytes <= list->address + list->bytes) return list;
  }
  return NULL;
}

/* The device of the context that is current on this thread, -1 without one. */
static int current_device(void) {
  return depth == 0 ? -1 : (int)((int *)current[depth - 1] - contexts);
}

static void add_range(range **list, uintptr_t address, size_t bytes) {
  range *fresh = calloc(1, sizeof *fresh);
  fresh->address = address;
  fresh->bytes = bytes;
  fresh->context = current_device();
  fresh->next = *list;
  *list = fresh;
}

static int remove_range(range **list, uintptr_t address) {
  for (; *list != NULL; list = &(*list)->next) {
    if ((*list)->address == address) {
      range *gone = *list;
      *list = gone->next;
      free(gone);
      return 1;
    }
  }
  return 0;
}

/* What the program must not do behind the driver's back is looked at in every call. */
static void look_around(void) {
  range *r;
  for (r = registered; r != NULL; r = r->next) {
    if (!r->reported && !is_mapped(r->address, r->bytes)) {
      r->reported = 1;
      note("violation what=unmapped-while-registered address=0x%lx bytes=%lu", r->address, r->bytes);
    }
  }
}

typedef struct call {
  const char *function;
  const fault *fault;
  int code;
  int act;
} call;

/* Takes the lock; end() gives it back. */
static call begin(const char *function) {
  call c = {function, NULL, OK, 1};
  long turn;
  int i;
  pthread_mutex_lock(&lock);
  configure_once();
  turn = ++counter_of(function)->calls;
  for (i = 0; i < fault_count; i++) {
    fault *f = &faults[i];
    if (strcmp(f->function, function) == 0 && (f->at == 0 || f->at == turn)) c.fault = f;
  }
  if (c.fault != NULL && strcmp(c.fault->action, "fail") == 0) {
    c.act = 0;
    c.code = (int)c.fault->argument;
  } else if (!initialized && strcmp(function, "cuInit") != 0 && strncmp(function, "cuGetError", 10) != 0) {
    c.act = 0;
    c.code = NOT_INITIALIZED;
  }
  look_around();
  return c;
}

static void refuse(call *c, int code) {
  if (c->act) {
    c->act = 0;
    c->code = code;
  }
}

static void require_context(call *c) {
  if (depth == 0) refuse(c, INVALID_CONTEXT);
}

static int end(call *c, const char *format, ...) {
  char text[256];
  va_list arguments;
  long delay = 0;
  int code = c->code;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (c->fault != NULL && strcmp(c->fault->action, "late") == 0 && code == OK) code = (int)c->fault->argument;
  if (c->fault != NULL && strcmp(c->fault->action, "delay") == 0 && strncmp(c->function, "cuMemcpy", 8) != 0) {
    delay = c->fault->argument;
  }
  note("%s %s code=%d done=%d", c->function, text, code, c->act);
  if (c->fault != NULL && strcmp(c->fault->action, "block") == 0) block_millis(c->fault->argument);
  pthread_mutex_unlock(&lock);
  if (delay > 0) pause_millis(delay);
  return code;
}

/* Reads through the kernel, which says EFAULT where the program would die. */
static int transfer_piece(int to_program, uintptr_t address, unsigned char *buffer, size_t bytes) {
  struct iovec here = {buffer, bytes};
  struct iovec there = {(void *)address, bytes};
  ssize_t moved = to_program ? process_vm_writev(getpid(), &here, 1, &there, 1, 0)
                             : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return moved == (ssize_t)bytes;
}

static int checksum(uintptr_t address, size_t bytes, uint64_t *sum, unsigned char *copy) {
  unsigned char *piece = malloc(PIECE);
  size_t done, i;
  int mapped = 1;
  uint64_t hash = 14695981039346656037ULL;
  for (done = 0; mapped && done < bytes; done += PIECE) {
    size_t part = bytes - done < PIECE ? bytes - done : PIECE;
    mapped = transfer_piece(0, address + done, piece, part);
    for (i = 0; i + 8 <= part; i += 8) {
      uint64_t word;
      memcpy(&word, piece + i, 8);
      hash = (hash ^ word) * 1099511628211ULL;
    }
    for (; i < part; i++) hash = (hash ^ piece[i]) * 1099511628211ULL;
    if (mapped && copy != NULL) memcpy(copy + done, piece, part);
  }
  free(piece);
  *sum = hash;
  return mapped;
}

static const char *complete(task *t) {
  uint64_t sum = 0;
  size_t done;
  if (t->registered && find_around(registered, t->host, t->bytes) == NULL) return "unregistered";
  if (find_around(allocated, t->device, t->bytes) == NULL) return "device-freed";
  if (t->what == COPY_TO_DEVICE) {
    if (!checksum(t->host, t->bytes, &sum, (unsigned char *)t->device)) return "unmapped";
    return sum == t->sum ? "ok" : "overwritten";
  }
  for (done = 0; done < t->bytes; done += PIECE) {
    size_t part = t->bytes - done < PIECE ? t->bytes - done : PIECE;
    if (!transfer_piece(1, t->host + done, (unsigned char *)t->device + done, part)) return "unmapped";
  }
  return "ok";
}

static void *work(void *argument) {
  stream *s = argument;
  pthread_mutex_lock(&lock);
  while (s->first != NULL || !s->destroyed) {
    task *t = s->first;
    if (t == NULL) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    if (t->what == WAIT) {
      while (t->event->reached < t->generation) pthread_cond_wait(&changed, &lock);
    } else if (t->what == CALL) {
      pthread_mutex_unlock(&lock);
      t->function(t->argument);
      pthread_mutex_lock(&lock);
    } else if (t->what == RECORD) {
      t->event->reached = t->generation;
    } else {
      if (t->delay > 0) {
        pthread_mutex_unlock(&lock);
        pause_millis(t->delay);
        pthread_mutex_lock(&lock);
      }
      note("completed id=%ld status=%s", t->id, complete(t));
    }
    s->first = t->next;
    if (s->first == NULL) s->last = NULL;
    s->pending--;
    free(t);
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void start(stream *s) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, s);
  pthread_detach(thread);
}

static stream *stream_of(uintptr_t handle) {
  stream *s;
  if (handle == 0) {
    if (default_stream.next == NULL) {
      default_stream.next = &default_stream;
      start(&default_stream);
    }
    return &default_stream;
  }
  for (s = streams; s != NULL; s = s->next) {
    if ((uintptr_t)s == handle && !s->destroyed) return s;
  }
  return NULL;
}

static void push(stream *s, task *t) {
  if (s->last == NULL) {
    s->first = t;
  } else {
    s->last->next = t;
  }
  s->last = t;
  s->pending++;
  pthread_cond_broadcast(&changed);
}

/* Copies in flight that use host memory (host != 0) or device memory. */
static int in_flight(int host, uintptr_t address, size_t bytes) {
  stream *s = streams;
  int count = 0;
  int last = 0;
  while (!last) {
    task *t;
    if (s == NULL) {
      s = &default_stream;
      last = 1;
    }
    for (t = s->first; t != NULL; t = t->next) {
      uintptr_t used = host ? t->host : t->device;
      if (t->what <= COPY_TO_HOST && used < address + bytes && address < used + t->bytes) count++;
    }
    s = s->next;
  }
  return count;
}

EXPORT void stubConfigure(const char *log, const char *plan, int device_count, unsigned long limit) {
  pthread_mutex_lock(&lock);
  configure(log, plan, device_count, limit);
  pthread_mutex_unlock(&lock);
}

EXPORT void stubEndFaults(void) {
  pthread_mutex_lock(&lock);
  fault_count = 0;
  fault_plans++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

EXPORT int stubIsRegistered(uintptr_t address, size_t bytes) {
  int found;
  pthread_mutex_lock(&lock);
  found = find_around(registered, address, bytes) != NULL;
  pthread_mutex_unlock(&lock);
  return found;
}

EXPORT long stubCalls(const char *function) {
  long calls;
  pthread_mutex_lock(&lock);
  calls = counter_of(function)->calls;
  pthread_mutex_unlock(&lock);
  return calls;
}

EXPORT int cuInit(unsigned flags) {
  call c = begin("cuInit");
  if (devices == 0) refuse(&c, NO_DEVICE);
  if (c.act) initialized = 1;
  return end(&c, "flags=%u", flags);
}

EXPORT int cuDriverGetVersion(int *version) {
  call c = begin("cuDriverGetVersion");
  if (c.act) *version = 12040;
  return end(&c, "version=12040");
}

EXPORT int cuGetErrorName(int code, const char **name) {
  call c = begin("cuGetErrorName");
  *name = NULL;
  switch (code) {
    case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case NOT_INITIALIZED: *name = "CUDA_ERROR_NOT_INITIALIZED"; break;
    case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; break;
    case INVALID_DEVICE: *name = "CUDA_ERROR_INVALID_DEVICE"; break;
    case INVALID_CONTEXT: *name = "CUDA_ERROR_INVALID_CONTEXT"; break;
    case INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
    case NOT_READY: *name = "CUDA_ERROR_NOT_READY"; break;
    case ALREADY_REGISTERED: *name = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"; break;
    case NOT_REGISTERED: *name = "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"; break;
    case 801: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
    case 999: *name = "CUDA_ERROR_UNKNOWN"; break;
    default: refuse(&c, INVALID_VALUE);
  }
  return end(&c, "error=%d", code);
}

EXPORT int cuGetErrorString(int code, const char **text) {
  call c = begin("cuGetErrorString");
  *text = "told by the stub";
  return end(&c, "error=%d", code);
}

EXPORT int cuDeviceGetCount(int *count) {
  call c = begin("cuDeviceGetCount");
  if (c.act) *count = devices;
  return end(&c, "count=%d", devices);
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  call c = begin("cuDeviceGet");
  if (ordinal < 0 || ordinal >= devices) refuse(&c, INVALID_DEVICE);
  if (c.act) *device = ordinal;
  return end(&c, "ordinal=%d", ordinal);
}

EXPORT int cuDeviceGetName(char *name, int length, int device) {
  call c = begin("cuDeviceGetName");
  if (c.act) snprintf(name, length, "stub device %d", device);
  return end(&c, "device=%d", device);
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  call c = begin("cuDeviceTotalMem");
  if (c.act) *bytes = 1UL << 30;
  return end(&c, "device=%d", device);
}

EXPORT int cuDevicePrimaryCtxRetain(uintptr_t *context, int device) {
  call c = begin("cuDevicePrimaryCtxRetain");
  if (device < 0 || device >= devices) refuse(&c, INVALID_DEVICE);
  if (c.act) {
    contexts[device]++;
    *context = (uintptr_t)&contexts[device];
  }
  return end(&c, "device=%d", device);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  call c = begin("cuDevicePrimaryCtxRelease");
  if (device < 0 || device >= devices || contexts[device] == 0) refuse(&c, INVALID_CONTEXT);
  if (c.act) contexts[device]--;
  return end(&c, "device=%d", device);
}

EXPORT int cuCtxPushCurrent_v2(uintptr_t context) {
  call c = begin("cuCtxPushCurrent");
  if (context == 0 || depth == MAX_CONTEXTS) refuse(&c, INVALID_VALUE);
  if (c.act) current[depth++] = context;
  return end(&c, "depth=%d thread=%ld", depth, thread_id());
}

EXPORT int cuCtxPopCurrent_v2(uintptr_t *context) {
  call c = begin("cuCtxPopCurrent");
  require_context(&c);
  if (c.act) *context = current[--depth];
  return end(&c, "depth=%d thread=%ld", depth, thread_id());
}

EXPORT int cuStreamCreate(uintptr_t *handle, unsigned flags) {
  call c = begin("cuStreamCreate");
  stream *s = NULL;
  require_context(&c);
  if (c.act) {
    s = calloc(1, sizeof *s);
    s->context = current_device();
    s->next = streams;
    streams = s;
    start(s);
    *handle = (uintptr_t)s;
  }
  return end(&c, "stream=0x%lx flags=%u context=%d", (uintptr_t)s, flags, current_device());
}

EXPORT int cuStreamDestroy_v2(uintptr_t handle) {
  call c = begin("cuStreamDestroy");
  stream *s = handle == 0 ? NULL : stream_of(handle);
  int pending = s == NULL ? 0 : s->pending;
  require_context(&c);
  if (s == NULL) refuse(&c, INVALID_HANDLE);
  if (c.act) {
    s->destroyed = 1; /* never freed, so that a late use is an error and no crash */
    pthread_cond_broadcast(&changed);
  }
  return end(&c, "stream=0x%lx pending=%d", handle, pending);
}

EXPORT int cuStreamSynchronize(uintptr_t handle) {
  call c = begin("cuStreamSynchronize");
  stream *s = stream_of(handle);
  require_context(&c);
  if (s == NULL) refuse(&c, INVALID_HANDLE);
  while (c.act && s->pending > 0) pthread_cond_wait(&changed, &lock);
  return end(&c, "stream=0x%lx", handle);
}

EXPORT int cuStreamQuery(uintptr_t handle) {
  call c = begin("cuStreamQuery");
  stream *s = stream_of(handle);
  require_context(&c);
  if (s == NULL) refuse(&c, INVALID_HANDLE);
  if (c.act && s->pending > 0) c.code = NOT_READY;
  return end(&c, "stream=0x%lx", handle);
}

EXPORT int cuStreamWaitEvent(uintptr_t handle, uintptr_t waited, unsigned flags) {
  call c = begin("cuStreamWaitEvent");
  stream *s = stream_of(handle);
  event *e = (event *)waited;
  require_context(&c);
  if (s == NULL || e == NULL || e->destroyed) refuse(&c, INVALID_HANDLE);
  if (c.act) {
    task *t = calloc(1, sizeof *t);
    t->what = WAIT;
    t->event = e;
    t->generation = e->recorded;
    push(s, t);
  }
  return end(&c, "stream=0x%lx event=0x%lx flags=%u", handle, waited, flags);
}

EXPORT int cuLaunchHostFunc(uintptr_t handle, void (*function)(void *), void *argument) {
  call c = begin("cuLaunchHostFunc");
  stream *s = stream_of(handle);
  require_context(&c);
  if (s == NULL) refuse(&c, INVALID_HANDLE);
  if (c.act) {
    task *t = calloc(1, sizeof *t);
    t->what = CALL;
    t->function = function;
    t->argument = argument;
    push(s, t);
  }
  return end(&c, "stream=0x%lx", handle);
}

EXPORT int cuEventCreate(uintptr_t *handle, unsigned flags) {
  call c = begin("cuEventCreate");
  event *e = NULL;
  require_context(&c);
  if (c.act) {
    e = calloc(1, sizeof *e); /* never freed, like streams */
    *handle = (uintptr_t)e;
  }
  return end(&c, "event=0x%lx flags=%u", (uintptr_t)e, flags);
}

EXPORT int cuEventRecord(uintptr_t handle, uintptr_t stream_handle) {
  call c = begin("cuEventRecord");
  stream *s = stream_of(stream_handle);
  event *e = (event *)handle;
  require_context(&c);
  if (s == NULL || e == NULL || e->destroyed) refuse(&c, INVALID_HANDLE);
  if (c.act) {
    task *t = calloc(1, sizeof *t);
    t->what = RECORD;
    t->event = e;
    t->generation = ++e->recorded;
    push(s, t);
  }
  return end(&c, "event=0x%lx stream=0x%lx", handle, stream_handle);
}

EXPORT int cuEventQuery(uintptr_t handle) {
  call c = begin("cuEventQuery");
  event *e = (event *)handle;
  require_context(&c);
  if (e == NULL || e->destroyed) refuse(&c, INVALID_HANDLE);
  if (c.act && e->reached < e->recorded) c.code = NOT_READY;
  return end(&c, "event=0x%lx", handle);
}

EXPORT int cuEventDestroy_v2(uintptr_t handle) {
  call c = begin("cuEventDestroy");
  event *e = (event *)handle;
  require_context(&c);
  if (e == NULL || e->destroyed) refuse(&c, INVALID_HANDLE);
  if (c.act) e->destroyed = 1;
  return end(&c, "event=0x%lx", handle);
}

EXPORT int cuMemAlloc_v2(uintptr_t *device, size_t bytes) {
  call c = begin("cuMemAlloc");
  uintptr_t address = 0;
  require_context(&c);
  if (bytes == 0) refuse(&c, INVALID_VALUE);
  if (c.act) {
    address = (uintptr_t)calloc(1, bytes);
    if (address == 0) {
      refuse(&c, OUT_OF_MEMORY);
    } else {
      add_range(&allocated, address, bytes);
      *device = address;
    }
  }
  return end(&c, "device=0x%lx bytes=%lu", address, bytes);
}

EXPORT int cuMemFree_v2(uintptr_t device) {
  call c = begin("cuMemFree");
  range *r = find_overlap(allocated, device, 1);
  int flights = r == NULL ? 0 : in_flight(0, r->address, r->bytes);
  require_context(&c);
  if (r == NULL || r->address != device) refuse(&c, INVALID_VALUE);
  if (c.act) {
    remove_range(&allocated, device);
    if (flights == 0) free((void *)device);
  }
  return end(&c, "device=0x%lx inflight=%d", device, flights);
}

EXPORT int cuMemHostRegister_v2(uintptr_t address, size_t bytes, unsigned flags) {
  call c = begin("cuMemHostRegister");
  range *r;
  unsigned long sum = 0;
  require_context(&c);
  if (bytes == 0) {
    note("violation what=zero-bytes-registered address=0x%lx", address);
    refuse(&c, INVALID_VALUE);
  } else if (address % PAGE != 0) {
    note("violation what=register-not-on-a-page address=0x%lx bytes=%lu", address, bytes);
    refuse(&c, INVALID_VALUE);
  } else if (!is_mapped(address, bytes)) {
    note("violation what=register-not-mapped address=0x%lx bytes=%lu", address, bytes);
    refuse(&c, INVALID_VALUE);
  }
  if (find_overlap(registered, address, bytes) != NULL) refuse(&c, ALREADY_REGISTERED);
  for (r = registered; r != NULL; r = r->next) sum += r->bytes;
  if (bytes > register_limit || sum > register_limit - bytes) refuse(&c, OUT_OF_MEMORY);
  if (c.act) add_range(&registered, address, bytes);
  return end(&c, "address=0x%lx bytes=%lu flags=%u", address, bytes, flags);
}

EXPORT int cuMemHostUnregister(uintptr_t address) {
  call c = begin("cuMemHostUnregister");
  range *r = find_overlap(registered, address, 1);
  int mapped = r == NULL || is_mapped(r->address, r->bytes);
  int flights = r == NULL ? 0 : in_flight(1, r->address, r->bytes);
  require_context(&c);
  if (r == NULL || r->address != address) refuse(&c, NOT_REGISTERED);
  if (c.act) remove_range(&registered, address);
  return end(&c, "address=0x%lx mapped=%d inflight=%d", address, mapped, flights);
}

EXPORT int cuPointerGetAttribute(void *data, int attribute, uintptr_t pointer) {
  call c = begin("cuPointerGetAttribute");
  require_context(&c);
  if (attribute != ATTRIBUTE_MEMORY_TYPE || find_overlap(registered, pointer, 1) == NULL) refuse(&c, INVALID_VALUE);
  if (c.act) *(unsigned *)data = MEMORY_TYPE_HOST;
  return end(&c, "attribute=%d pointer=0x%lx", attribute, pointer);
}

/* As the driver's manual says, memory that is registered in part is refused. */
static int copy(const char *function, int what, uintptr_t host, uintptr_t device, size_t bytes, uintptr_t handle) {
  call c = begin(function);
  stream *s = stream_of(handle);
  int is_registered = find_around(registered, host, bytes) != NULL;
  long id = 0;
  uint64_t sum = 0;
  require_context(&c);
  if (s == NULL) refuse(&c, INVALID_HANDLE);
  if (bytes == 0 || find_around(allocated, device, bytes) == NULL) refuse(&c, INVALID_VALUE);
  if (!is_registered && find_overlap(registered, host, bytes) != NULL) refuse(&c, INVALID_VALUE);
  if (c.act && !is_mapped(host, bytes)) {
    note("violation what=copy-of-unmapped-memory host=0x%lx bytes=%lu", host, bytes);
    refuse(&c, INVALID_VALUE);
  }
  if (c.act && what == COPY_TO_DEVICE && !checksum(host, bytes, &sum, NULL)) {
    note("violation what=copy-of-unmapped-memory host=0x%lx bytes=%lu", host, bytes);
    refuse(&c, INVALID_VALUE);
  }
  if (c.act && ((s != &default_stream && s->context != current_device()) ||
                find_around(allocated, device, bytes)->context != current_device())) {
    note("violation what=copy-in-the-context-of-another-device device=0x%lx context=%d", device, current_device());
  }
  if (c.act) {
    task *t = calloc(1, sizeof *t);
    id = next_id++;
    t->what = what;
    t->id = id;
    t->host = host;
    t->device = device;
    t->bytes = bytes;
    t->sum = sum;
    t->registered = is_registered;
    t->delay = c.fault != NULL && strcmp(c.fault->action, "delay") == 0 ? c.fault->argument : 0;
    push(s, t);
  }
  return end(&c, "id=%ld host=0x%lx device=0x%lx bytes=%lu stream=0x%lx registered=%d context=%d", id, host, device,
             bytes, handle, is_registered, current_device());
}

EXPORT int cuMemcpyHtoDAsync_v2(uintptr_t device, uintptr_t host, size_t bytes, uintptr_t handle) {
  return copy("cuMemcpyHtoDAsync", COPY_TO_DEVICE, host, device, bytes, handle);
}

EXPORT int cuMemcpyDtoHAsync_v2(uintptr_t host, uintptr_t device, size_t bytes, uintptr_t handle) {
  return copy("cuMemcpyDtoHAsync", COPY_TO_HOST, host, device, bytes, handle);
}

/* At the end of the process: what the log says last. */
__attribute__((destructor)) static void ended(void) {
  pthread_mutex_lock(&lock);
  look_around();
  note("ended");
  pthread_mutex_unlock(&lock);
}
