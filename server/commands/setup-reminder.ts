/** How long the terminal stays as it is after a reminder. */
const AGAIN_MS = 10 * 60_000;
/** Limits the lines in the log, because anyone can open a screen. */
const MAX_REMINDERS = 20;

/**
 * Prints the setup link again when somebody opens a screen and there is still no administrator: by then it may have
 * scrolled away.
 */
export class SetupReminder {
  private nextAt = 0;
  private left = MAX_REMINDERS;

  constructor(
    private readonly link: string,
    private readonly isOpen: (link: string) => Promise<boolean>,
    private readonly print: (line: string) => void = console.log,
    private readonly now: () => number = Date.now,
  ) {}

  /** `path` is the screen that was opened. */
  remind(path: string): void {
    const isDue = this.left > 0 && this.now() >= this.nextAt && path !== '/setup';
    if (!isDue) return;
    this.nextAt = this.now() + AGAIN_MS;
    void this.printIfOpen();
  }

  private async printIfOpen(): Promise<void> {
    // A database that does not answer is reported elsewhere.
    const isOpen = await this.isOpen(this.link).catch(() => undefined);
    if (isOpen === undefined) return;
    this.left = isOpen ? this.left - 1 : 0;
    if (isOpen) this.print(`  There is no administrator yet. To become one, open ${this.link}`);
  }
}
