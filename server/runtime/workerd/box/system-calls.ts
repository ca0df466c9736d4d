/** Numbers of system calls, on x86-64 and on 64-bit ARM. */

type Numbers = [x64: number, arm64: number];

/** Stands for the number of a call that the processor does not have. */
export const NONE = -1;

/** Calls that no box needs and that have been used to exploit the kernel or to escape from a sandbox. */
export const DENIED: Record<string, Numbers> = {
  // Other processes: their memory, descriptors and scheduling.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Access to files other than by name.
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  mknod: [133, NONE],
  mknodat: [259, 33],
  lookup_dcookie: [212, 18],
  sysfs: [139, NONE],
  ustat: [136, NONE],
  uselib: [134, NONE],
  // The kernel itself: loading code into it, and tracing it.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, NONE],
  get_kernel_syms: [177, NONE],
  query_module: [178, NONE],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  syslog: [103, 116],
  _sysctl: [156, NONE],
  nfsservctl: [180, 42],
  // Parts of the kernel with a long history of vulnerabilities.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  vmsplice: [278, 75],
  modify_ldt: [154, NONE],
  // The machine: its clock, name, power, ports and swap.
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, NONE],
  ioperm: [173, NONE],
};

/** Calls that are allowed or denied depending on their arguments. */
export const LOOKED_AT = {
  clone: [56, 220],
  clone3: [435, 435],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  personality: [135, 92],
} satisfies Record<string, Numbers>;
