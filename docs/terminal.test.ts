import { TerminalAdapter } from '../../src/platforms/terminal/index.ts';
import { adapterContract } from './adapter-contract.ts';

adapterContract('the terminal', async () => {
  const adapter = new TerminalAdapter(() => {});
  return {
    adapter,
    address: { platform: 'terminal', workspace: 'terminal', channel: 'terminal' },
    person: 'me',
    seen: async (thread) =>
      adapter.messages
        .filter(({ at }) => at.thread === thread?.thread)
        .map(({ text = '', buttons = [], files = [], mentions = [] }) => ({
          text,
          buttons: buttons.map(({ label }) => label),
          files: files.map(({ name }) => name),
          notified: mentions,
        })),
    settled: (work) => work,
  };
});
