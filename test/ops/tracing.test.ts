import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { traced } from '../../src/lib/telemetry.ts';
import { createLog, LogDestination, openTracing } from '../../src/ops/index.ts';
import { endsWithTest } from '../at-end.ts';
import { OtlpReceiver } from '../fakes/otlp/receiver.ts';

async function start() {
  const receiver = await OtlpReceiver.start();
  endsWithTest(() => receiver.close());
  return { receiver, tracing: openTracing(`${receiver.endpoint}/`, '1.2.3') };
}

describe('traces', () => {
  it('are off without an address, and cost nothing', async () => {
    const { tracer, ids } = openTracing(undefined, '1.2.3');
    expect(tracer.isOn).toBe(false);
    expect(tracer.start('command').traceparent).toBeUndefined();
    expect(tracer.start('one')).toBe(tracer.start('another'));
    expect(ids()).toEqual({});
  });

  it('are sent with what belongs to what, when it began and how it ended', async () => {
    const { receiver, tracing } = await start();
    const { tracer } = tracing;
    const command = tracer.start(
      'command',
      { 'troupe.command': 'ask' },
      { isRoot: true, since: Date.UTC(2026, 0, 1) },
    );
    await command.within(async () => {
      await traced(tracer, 'admission', {}, async () => {});
      const call = tracer.start('service chat', { 'troupe.model': undefined }, { isRequest: true });
      await call.within(() => traced(tracer, 'queue', { 'troupe.group': 'chat' }, async () => {}));
      call.note('first token');
      call.end('TimeoutError');
      call.end();
    });
    command.set({ 'troupe.outcome': 'done' });
    command.end();
    await tracing.close();
    const [root] = receiver.named('command');
    expect(receiver.resource).toMatchObject({ 'service.name': 'troupe', 'service.version': '1.2.3' });
    expect(receiver.spans.map(({ name }) => name)).toEqual(['admission', 'queue', 'service chat', 'command']);
    expect(root).toMatchObject({
      startTimeUnixNano: '1767225600000000000',
      kind: 2,
      status: 0,
      attributes: { 'troupe.command': 'ask', 'troupe.outcome': 'done' },
    });
    expect(root?.parentSpanId).toBeUndefined();
    const [call] = receiver.named('service chat');
    expect(call).toMatchObject({
      parentSpanId: root?.spanId,
      kind: 3,
      status: 2,
      events: ['first token'],
      attributes: { 'error.type': 'TimeoutError' },
    });
    expect(call?.attributes).not.toHaveProperty('troupe.model');
    expect(receiver.named('queue')).toMatchObject([{ parentSpanId: call?.spanId, traceId: root?.traceId }]);
  });

  it('stay in a trace what goes on at once, and link to it what goes on later', async () => {
    const { receiver, tracing } = await start();
    const { tracer } = tracing;
    const command = tracer.start('command', {}, { isRoot: true });
    const other = tracer.start('command', {}, { isRoot: true });
    const link = command.traceparent;
    command.within(() => tracer.start('at once', {}, { isRoot: true, link }).end());
    other.within(() => tracer.start('later', {}, { isRoot: true, link }).end());
    tracer.start('elsewhere', {}, { isRoot: true, link: 'no traceparent' }).end();
    tracer.untraced(() => tracer.start('again and again').end());
    tracer.untraced(() => tracer.start('of use', {}, { isRoot: true, link }).end());
    command.end();
    await tracing.close();
    const [root] = receiver.named('command');
    expect(receiver.named('at once')).toMatchObject([{ traceId: root?.traceId, links: [] }]);
    for (const name of ['later', 'of use']) {
      const [span] = receiver.named(name);
      expect(span?.links).toEqual([{ traceId: root?.traceId, spanId: root?.spanId }]);
      expect(span?.traceId).not.toBe(root?.traceId);
    }
    expect(receiver.named('elsewhere')).toMatchObject([{ links: [] }]);
    expect(receiver.named('again and again')).toEqual([]);
  });

  it('are in the lines of the log', async () => {
    const { tracing } = await start();
    const lines: string[] = [];
    const destination = new LogDestination({ pending: 0, write: (line) => void lines.push(line) });
    const log = await createLog('info', false, destination, tracing);
    const span = tracing.tracer.start('command', {}, { isRoot: true });
    log.info({}, 'outside');
    span.within(() => log.info({}, 'inside'));
    span.end();
    await tracing.close();
    const [outside, inside] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(outside).not.toHaveProperty('trace_id');
    expect(span.traceparent).toBe(`00-${inside?.trace_id}-${inside?.span_id}-01`);
  });

  it('that cannot be sent are dropped, and told; a stop waits no longer than a moment for them', async () => {
    const { receiver, tracing } = await start();
    receiver.status = 400;
    let dropped = 0;
    tracing.onDropped((spans) => {
      dropped += spans;
    });
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < 20_000; number++)
      tracing.tracer.start('command', {}, { isRoot: true }).end();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
    await tracing.close();
    // Those that found no room among the 2,048 that wait, and those that were refused.
    expect(dropped).toBeGreaterThan(20_000 - 2_048);
    expect(dropped).toBeLessThanOrEqual(20_000);
    expect(receiver.spans).toEqual([]);
  });

  it('are sent again where the collector is busy, and those that it takes a request without are told', async () => {
    const { receiver, tracing } = await start();
    receiver.answers.push(
      { status: 503, body: {} },
      { status: 200, body: { partialSuccess: { rejectedSpans: '3' } } },
    );
    let dropped = 0;
    tracing.onDropped((spans) => {
      dropped += spans;
    });
    // So many are sent at once.
    for (let number = 0; number < 512; number++) tracing.tracer.start('command').end();
    await expect.poll(() => receiver.spans.length).toBe(512);
    await expect.poll(() => dropped).toBe(3);
    await tracing.close();
    expect(receiver.spans).toHaveLength(512);
  });

  it('are sent with the headers of OTEL_EXPORTER_OTLP_HEADERS', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'Api-Key = a%20key==,x-tenant=one,no-value');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { receiver, tracing } = await start();
    tracing.tracer.start('command').end();
    await tracing.close();
    expect(receiver.headers).toMatchObject({
      'api-key': 'a key==',
      'x-tenant': 'one',
      'content-type': 'application/json',
    });
    expect(receiver.headers).not.toHaveProperty('no-value');
  });

  it('to an address where nobody is end with the process', async () => {
    const receiver = await OtlpReceiver.start();
    const tracing = openTracing(receiver.endpoint, '1.2.3');
    await receiver.close();
    tracing.tracer.start('command', {}, { isRoot: true }).end();
    await expect(tracing.close()).resolves.toBeUndefined();
  });
});
