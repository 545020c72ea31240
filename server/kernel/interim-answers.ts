const [CR, LF, ZERO, ONE, TWO] = [...Buffer.from('\r\n012')];
/** Where the first digit of the status stands: `HTTP/1.1 100`. */
const STATUS_AT = 'HTTP/1.1 '.length;

/** Follows the heads before a final answer, in whatever pieces they come, and shows each 100 as a 102. */
export class InterimHeads {
  /** Bytes of the present head so far; null behind the status of a final answer. */
  #at: number | null = 0;
  #isHundred = false;
  #isLineEmpty = false;

  /** A request begins, so heads follow. */
  begin(): void {
    this.#at = 0;
  }

  /** Changes bytes in place. */
  take(chunk: Buffer): void {
    for (let index = 0; index < chunk.length && this.#at !== null; index += 1) {
      const byte = chunk[index];
      this.#at = this.#next(this.#at, byte);
      const isLastDigit = this.#at === STATUS_AT + 3 && this.#isHundred;
      if (isLastDigit && byte === ZERO) chunk.writeUInt8(TWO ?? 0, index);
    }
  }

  #next(at: number, byte: number | undefined): number | null {
    const isLineEnd = byte === CR || byte === LF;
    // Empty lines may stand before a head.
    if (at === 0 && isLineEnd) return 0;
    if (at === STATUS_AT && byte !== ONE) return null;
    if (at === STATUS_AT + 1) this.#isHundred = byte === ZERO;
    if (at > STATUS_AT + 2) this.#isHundred = false;
    if (byte === LF && this.#isLineEmpty) return 0;
    if (byte === LF) this.#isLineEmpty = true;
    else if (byte !== CR) this.#isLineEmpty = false;
    return at + 1;
  }
}

/** What undici reads and writes a socket by. */
interface Connection {
  read(size?: number): unknown;
  write(...sent: unknown[]): boolean;
}

/**
 * Lets undici read answers on a connection that begin with 100 (Continue). A client skips any number of interim answers, asked for
 * or not (RFC 9110 §15.2); undici skips all but this one, for which it breaks the connection off, so it is shown another one.
 */
export function readInterimAnswers(socket: Connection): void {
  const heads = new InterimHeads();
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  const readOn = (size?: number): unknown => {
    const chunk = read(size);
    if (Buffer.isBuffer(chunk)) heads.take(chunk);
    return chunk;
  };
  const writeOn = (...sent: unknown[]): boolean => {
    heads.begin();
    return write(...sent);
  };
  socket.read = readOn;
  socket.write = writeOn;
}
