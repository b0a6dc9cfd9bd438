import { expect, it } from 'vitest';
import { Feed } from '../../../../src/platforms/console/feed/feed.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';

it('a change by one process is told to the pages of all, once each; a draft only to its own', () => {
  const share = processesSharing(new FakeClock());
  const heard: string[] = [];
  const [one] = ['one', 'other'].map((name) => {
    const feed = new Feed({} as never, {} as never, {} as never, share());
    feed.subscribe((news) => heard.push(`${name}: ${news}`));
    return feed;
  });
  one?.notify('changes');
  expect(heard.splice(0).toSorted()).toEqual(['one: changes', 'other: changes']);
  one?.notify('drafts');
  expect(heard.splice(0)).toEqual(['one: drafts']);
  one?.notifyOthers();
  expect(heard).toEqual(['other: changes']);
});
