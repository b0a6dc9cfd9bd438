import { expect, it } from 'vitest';
import imagine from '../../commands/imagine.ts';
import type { CommandDependencies } from '../../src/app/define-command.ts';
import type { Job, Person } from '../../src/port/index.ts';

const requester: Person = { id: 'ada', name: 'Ada', locale: 'en', administrator: false, moderator: false };
const job: Job = {
  id: 'j',
  command: 'imagine',
  options: { prompt: 'a lighthouse', size: '3k' },
  address: { platform: 'discord', workspace: '1', channel: '2' },
  requester,
  createdAt: 0,
};
const file = (name: string) => ({ name, contentType: 'image/png', size: 1, source: name });

it('Edit asks for further references, and the image that is edited stays the first of them', async () => {
  const { edit } = imagine.actions ?? {};
  if (!edit || !('call' in edit)) throw new Error('Edit runs no command');
  const dependencies = {} as CommandDependencies;
  const form = await edit.form?.(job, 'en', undefined, undefined, dependencies);
  expect(form?.fields.filter((name) => name.startsWith('reference'))).toEqual([
    'reference_1',
    'reference_2',
    'reference_3',
  ]);
  const values = {
    prompt: 'at night',
    reference_1: file('a'),
    reference_2: file('b'),
    reference_3: file('c'),
  };
  expect(await edit.call({ job, requester, values }, dependencies)).toEqual({
    command: 'imagine',
    options: { prompt: 'at night', reference_2: file('a'), reference_3: file('b'), reference_4: file('c') },
  });
});
