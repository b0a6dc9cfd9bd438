import { expect, test } from 'vitest';
import { answerHeader } from '../../../../src/platforms/slack/markup/message-formats.ts';

const ada = { name: 'ada', locale: 'en' } as const;

test.each([0, 1])('what was asked is cut between two characters, after %i letters', (letters) => {
  const header = answerHeader(ada, '/imagine', `${'a'.repeat(letters)}${'🐈'.repeat(300)}`);
  expect(header.isWellFormed()).toBe(true);
  expect(header.endsWith('🐈…')).toBe(true);
});

test('the line mentions nobody', () => {
  const header = answerHeader(
    { ...ada, name: '<!here>' },
    '/imagine',
    '<!channel> <@U1> <#C1> &lt;!here&gt;',
  );
  expect(header).not.toMatch(/<[!@#]/);
  expect(header).toContain('&amp;lt;!here');
});
