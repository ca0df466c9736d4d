import { createDeadlines } from '../../../../lib/time-limits/deadlines.ts';
import type { ServerSocket, SocketSession } from '../../../../platform/http/index.ts';
import type { CellSocket } from '../../../../runtime/cells/index.ts';

/** How long either side has to read what waits for it. */
const STALLED_MS = 30_000;
/** Close codes: the connection ended without a close frame; an error on our side; try again later. */
const [ABNORMAL, INTERNAL_ERROR, TRY_AGAIN] = [1006, 1011, 1013];

const stalls = createDeadlines(STALLED_MS);

/** Passes the messages of a WebSocket between a client and a function. A slow side slows the other one down. */
export class Bridge implements SocketSession {
  #client: ServerSocket | undefined;
  #stalled: ReturnType<typeof stalls.begin> | undefined;

  constructor(
    private readonly cell: CellSocket,
    /** Why the cell has ended without closing the connection. */
    private readonly causeOfDeath: () => Promise<string>,
  ) {}

  /** The subprotocol that the function chose. */
  get protocol(): string | undefined {
    return this.cell.protocol;
  }

  open(client: ServerSocket): void {
    this.#client = client;
    this.cell.listen({
      message: (data) => {
        if (client.send(data) !== -1) return;
        this.cell.pause();
        // A client that goes on not reading would keep the memory that its messages take up.
        this.#wait(() => client.terminate());
      },
      drained: () => {
        this.#go();
        client.resume();
      },
      closed: (code, reason) => void this.#cellClosed(client, code, reason),
    });
  }

  message(data: string | Uint8Array): void {
    if (this.cell.send(data)) return;
    this.#client?.pause();
    this.#wait(() => this.cell.shut(TRY_AGAIN, 'The function does not read its messages.'));
  }

  drained(): void {
    this.#go();
    this.cell.resume();
  }

  closed(code: number, reason: string): void {
    this.#client = undefined;
    this.#go();
    this.cell.close(code, reason);
  }

  async #cellClosed(client: ServerSocket, code: number, reason: string): Promise<void> {
    this.#go();
    if (code !== ABNORMAL) client.close(code, reason);
    else client.close(INTERNAL_ERROR, await this.causeOfDeath());
  }

  #wait(giveUp: () => void): void {
    this.#stalled ??= stalls.begin(giveUp);
  }

  #go(): void {
    if (this.#stalled) stalls.end(this.#stalled);
    this.#stalled = undefined;
  }
}
