import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { discordSteps } from '../../src/live-check/discord/check.ts';
import { slackSteps } from '../../src/live-check/slack/check.ts';
import type { Step } from '../../src/live-check/step.ts';

const page = new URL('../../docs/live-check.md', import.meta.url);

const head = `# The live check

\`npm run live:check -- discord CHANNEL\` and \`npm run live:check -- slack CHANNEL\` try these steps with your tokens, in a
channel of your own. They spend no credits, and take away what they post; on Discord threads are only closed where the
bot lacks Manage Threads, and named at the end.

Marks in the table that is printed: \`✓\` was done, \`·\` was refused, \`–\` was not tried, \`?\` tells nothing (no answer), \`✗\`
needs you: a permission, a scope, a token or a channel, told in a sentence; the exit status is 1 then. What is *remembered*
is kept in the database for the bot: what works for 90 days, what is refused for 7.

Some steps begin with something only a person can do. With \`--with-me\` you are asked to press a button, type a command or
write a message; without it they are left out.

The steps are proved against test servers, where each uncertain rule can be switched the other way round; they have not
been run on the real Discord or Slack yet.
`;

function table(steps: readonly Step<never>[]): string {
  const rows = steps.map(({ name, expects, does, feature }) => {
    const done = typeof does === 'string' ? does : `if it works, ${does.works}; else ${does.refused}`;
    return `| ${name} | ${expects} | ${done} | ${feature === undefined ? '' : 'yes'} |`;
  });
  return ['| step | expected | what troupe does | remembered |', '|---|---|---|---|', ...rows].join('\n');
}

const expected = `${head}
## Discord

${table(discordSteps as readonly Step<never>[])}

## Slack

${table(slackSteps as readonly Step<never>[])}
`;

/** With UPDATE=1 the page is written instead of compared. */
it('the page lists the steps there are', () => {
  if (process.env.UPDATE === '1') writeFileSync(page, expected);
  expect(readFileSync(page, 'utf8')).toBe(expected);
});
