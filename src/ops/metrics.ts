import type { Registry } from 'prom-client';

/** Prometheus metrics. */
export interface Metrics {
  countCommand(command: string, outcome: 'done' | 'failed'): void;
  /** The registry; prom-client is loaded on the first call, since most bots are never scraped. */
  registry(): Promise<Registry>;
}

/** Metrics of the process, of commands by name and outcome, and of renders in progress. */
export function createMetrics(rendersUnderWay: () => number): Metrics {
  const commands = new Map<string, { readonly command: string; readonly outcome: string; count: number }>();
  let registry: Promise<Registry> | undefined;

  async function create(): Promise<Registry> {
    const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
    const created = new Registry();
    const registers = [created];
    collectDefaultMetrics({ register: created });
    new Counter({
      name: 'troupe_commands_total',
      help: 'Commands carried out, by name and outcome',
      labelNames: ['command', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const { count, ...labels } of commands.values()) this.inc(labels, count);
      },
    });
    new Gauge({
      name: 'troupe_renders_under_way',
      help: 'Images and videos being made or delivered',
      registers,
      collect() {
        this.set(rendersUnderWay());
      },
    });
    return created;
  }

  return {
    countCommand(command, outcome) {
      const name = `${command} ${outcome}`;
      const counted = commands.get(name) ?? { command, outcome, count: 0 };
      counted.count += 1;
      commands.set(name, counted);
    },
    registry() {
      registry ??= create();
      return registry;
    },
  };
}
