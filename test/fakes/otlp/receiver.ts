import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly events: readonly string[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** OTLP's code: 2 for an error. */
  readonly status: number;
}

interface WireValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
interface WireAttributes {
  readonly attributes?: readonly { readonly key: string; readonly value: WireValue }[];
}
interface WireSpan extends Omit<ReceivedSpan, 'attributes' | 'events' | 'links' | 'status'>, WireAttributes {
  readonly events?: readonly { readonly name: string }[];
  readonly links?: ReceivedSpan['links'];
  readonly status?: { readonly code?: number };
}
interface WireBody {
  readonly resourceSpans: readonly {
    readonly resource: WireAttributes;
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** An OpenTelemetry collector, as far as it receives traces: OTLP over HTTP, as JSON. */
export class OtlpReceiver {
  readonly endpoint: string;
  /** What it got, in the order of arrival. */
  readonly spans: ReceivedSpan[] = [];
  /** What was told about who sent it. */
  resource: ReceivedSpan['attributes'] = {};
  /** Everything it got, as it came. */
  readonly bodies: string[] = [];
  /** The headers of the latest request. */
  headers: IncomingHttpHeaders = {};
  /** The status it answers with. */
  status = 200;
  /** What it answers the next requests with instead, one each. */
  readonly answers: { readonly status: number; readonly body: object }[] = [];
  readonly close: () => Promise<void>;

  private constructor(endpoint: string, close: () => Promise<void>) {
    this.endpoint = endpoint;
    this.close = close;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isTraces = request.method === 'POST' && request.url === '/v1/traces';
        const isJson = request.headers['content-type'] === 'application/json';
        receiver.headers = request.headers;
        const { status, body } = receiver.answers.shift() ?? { status: receiver.status, body: {} };
        if (isTraces && isJson && status === 200) receiver.#take(Buffer.concat(chunks).toString());
        response.writeHead(isTraces && isJson ? status : 404).end(JSON.stringify(body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new OtlpReceiver(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    );
    return receiver;
  }

  named(name: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  #take(body: string): void {
    this.bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as WireBody).resourceSpans) {
      this.resource = attributesOf(resource);
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          attributes: attributesOf(span),
          events: (span.events ?? []).map(({ name }) => name),
          links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
          status: span.status?.code ?? 0,
        });
    }
  }
}

function attributesOf({ attributes = [] }: WireAttributes): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue ?? doubleValue),
    ]),
  );
}
