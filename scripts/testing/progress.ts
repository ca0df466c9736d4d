/** What Bun prints at the start and end of a run. We print our own summary once, for all runs. */
const FRAME = /^(bun test v|Ran \d| *\d+ (pass|skip|todo|fail|error|expect))/;

/** What Bun prints before it repeats all failures. */
const RECAP = /^\d+ tests? failed:$/;

/** Shows the progress of test runs: failures in full, and only the number of passed tests. */
export class Progress {
  private passed = 0;
  private failed = 0;
  private readonly startedAt = performance.now();
  private timer: Timer | undefined;

  constructor(
    private readonly print: (line: string) => unknown,
    private readonly everyMs: number,
  ) {}

  start(): void {
    this.timer = setInterval(
      () => this.print(`[${this.time()}] ${this.passed} passed, ${this.failed} failed`),
      this.everyMs,
    );
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns a function that takes the lines of one run. The name of a file is shown only if something about it is. */
  lines(label: string): (line: string) => void {
    let heading: string | undefined;
    let isOver = false;
    return (line) => {
      isOver ||= RECAP.test(line);
      if (isOver) return;
      if (line.startsWith('(pass) ')) this.passed++;
      if (line.startsWith('(fail) ')) this.failed++;
      if (FRAME.test(line) || /^\((pass|skip|todo)\) /.test(line)) return;
      if (/^\S+\.\w+:$/.test(line)) heading = `\n${label}${line}`;
      else if (line.trim()) {
        if (heading) this.print(heading);
        heading = undefined;
        this.print(line);
      }
    };
  }

  /** The time since the start, as minutes and seconds. */
  time(): string {
    const seconds = Math.round((performance.now() - this.startedAt) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }
}
