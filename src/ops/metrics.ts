import type { Registry } from 'prom-client';

/** What can be watched from outside. */
export interface Metrics {
  countCommand(command: string, outcome: 'done' | 'failed'): void;
  /** The figures, loaded with their library when somebody asks for them first: most bots are never asked. */
  registry(): Promise<Registry>;
}

/** The process's own figures, commands by name and outcome, renders under way. */
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
