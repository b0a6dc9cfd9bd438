import { describe, expect, it } from 'vitest';
import { createMetrics, healthRoutes } from '../../src/ops/index.ts';

describe('the metrics', () => {
  it('tell renders under way, commands by outcome, and what the process uses', async () => {
    let renders = 2;
    const metrics = createMetrics(() => renders);
    metrics.countCommand('ask', 'done');
    metrics.countCommand('ask', 'done');
    metrics.countCommand('ask', 'failed');
    const routes = healthRoutes({}, metrics);
    const read = async () => {
      const answer = await routes.request('/metrics');
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      return answer.text();
    };
    const first = await read();
    expect(first).toContain('troupe_renders_under_way 2\n');
    expect(first).toContain('troupe_commands_total{command="ask",outcome="done"} 2\n');
    expect(first).toContain('troupe_commands_total{command="ask",outcome="failed"} 1\n');
    expect(first).toMatch(/^process_resident_memory_bytes \d+$/m);
    renders = 0;
    metrics.countCommand('video', 'done');
    const second = await read();
    expect(second).toContain('troupe_renders_under_way 0\n');
    expect(second).toContain('troupe_commands_total{command="ask",outcome="done"} 2\n');
    expect(second).toContain('troupe_commands_total{command="video",outcome="done"} 1\n');
  });
});
