import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What can be watched from outside. */
export interface Metrics {
  readonly registry: Registry;
  countCommand(command: string, outcome: 'done' | 'failed'): void;
}

/** The process's own figures, commands by name and outcome, renders under way. */
export function createMetrics(rendersUnderWay: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const commands = new Counter({
    name: 'troupe_commands_total',
    help: 'Commands carried out, by name and outcome',
    labelNames: ['command', 'outcome'],
    registers: [registry],
  });
  new Gauge({
    name: 'troupe_renders_under_way',
    help: 'Images and videos being made or delivered',
    registers: [registry],
    collect() {
      this.set(rendersUnderWay());
    },
  });
  return {
    registry,
    countCommand: (command, outcome) => commands.inc({ command, outcome }),
  };
}
