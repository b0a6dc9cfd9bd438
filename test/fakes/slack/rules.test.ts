import { afterEach, describe, expect, test } from 'vitest';
import { accessRules } from './rules/access.ts';
import { deliveryRules } from './rules/delivery.ts';
import { fileRules } from './rules/files.ts';
import { installingRules } from './rules/installing.ts';
import { interactionRules } from './rules/interaction.ts';
import { messageRules } from './rules/messages.ts';
import { rateRules } from './rules/rates.ts';
import { stepRules } from './rules/steps.ts';
import { streamRules } from './rules/streams.ts';
import { type Rule, startTrial, type Trial } from './trial.ts';

const chapters: Readonly<Record<string, readonly Rule[]>> = {
  'Who may call, and where': accessRules,
  'What a message may say': messageRules,
  'Streams and assistants': streamRules,
  'How often': rateRules,
  'Home tabs and steps of workflows': stepRules,
  Files: fileRules,
  'Forms, triggers and response addresses': interactionRules,
  'Payloads on their way to the app': deliveryRules,
  'Installing, and the manifest': installingRules,
};

let trial: Trial | undefined;
afterEach(() => trial?.slack.stop());

for (const [chapter, rules] of Object.entries(chapters)) {
  describe(chapter, () => {
    test.each(rules)('$rule: $answer', async (rule) => {
      trial = await startTrial();
      expect(await rule.attempt(trial)).toBe(rule.answer);
    });
  });
}

test('the table of rules says what is enforced', async () => {
  await expect(table()).toMatchFileSnapshot('rules.md');
});

function table(): string {
  const lines = [
    '# What the Slack test server enforces',
    '',
    'Written by `rules.test.ts`, which tries every row. A source names the page of Slack’s public',
    'documentation; “seen” is what real workspaces answer beyond it.',
  ];
  for (const [chapter, rules] of Object.entries(chapters)) {
    const rows = rules.map(({ rule, answer, source }) => [rule, answer, source]);
    const head = ['what is tried', 'what the server answers', 'source'];
    lines.push('', `## ${chapter}`, '', ...aligned([head, ...rows]));
  }
  return `${lines.join('\n')}\n`;
}

/** Rows with columns of one width, the first above a line. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head = '', ...rest] = rows.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return [head, line(widths.map((width) => '-'.repeat(width))), ...rest];
}
