import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** For an agent's connections: what nobody has asked for yet isn't read from the operating system. */
export const readWhenAsked = { highWaterMark: 1 };

/**
 * How an agent connects, within `timeout` milliseconds. By HTTP/1.1 only: it shows reliably whether a request was started,
 * which decides about paid retries.
 */
export function connecting(
  timeout: number,
  options: buildConnector.BuildOptions & { readonly highWaterMark?: number },
): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, timeout, ...options });
  return (target, callback) =>
    connect(target, (...outcome) => {
      if (outcome[1]) passOverInterim(outcome[1]);
      callback(...outcome);
    });
}

/**
 * Leaves interim answers (1xx) out of what is read. Older servers and some proxies send `100 Continue` for each request,
 * asked for or not; clients have to pass over it (RFC 9110, 15.2), and undici takes it for the end of the connection.
 */
function passOverInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  let isAnswering = false;
  /** Of what is read after a request: an interim answer, as far as it's there. */
  let start: Buffer = Buffer.alloc(0);
  socket.write = (...given: unknown[]) => {
    // With text a request begins; its body, of which a refusal needn't wait for the end, is bytes.
    if (typeof given[0] === 'string') isAnswering = false;
    return write(...given);
  };
  socket.read = (size) => {
    const bytes: Buffer | null = read(size);
    if (isAnswering || bytes === null) return bytes;
    start = withoutInterim(Buffer.concat([start, bytes]));
    if (mayBeInterim(start)) return null;
    isAnswering = true;
    const answer = start;
    start = Buffer.alloc(0);
    return answer;
  };
}

const interim = 'HTTP/1.1 1';
/** Only an answer to who asks for another protocol, and nobody does. */
const switching = `${interim}01`;
const end = '\r\n\r\n';
/** Of one interim answer, in bytes, as of the headers of others. */
const most = 16_384;

function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, switching.length);
  return interim.startsWith(start.slice(0, interim.length)) && start !== switching && bytes.length <= most;
}

function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (mayBeInterim(rest)) {
    const at = rest.indexOf(end);
    if (at < 0) break;
    rest = rest.subarray(at + end.length);
  }
  return rest;
}
