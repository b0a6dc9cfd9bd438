import { commands } from '../../../commands/index.ts';
import { slackManifest } from '../../../src/platforms/slack/setup/manifest.ts';
import { FakeSlack, type Json } from '../../fakes/slack/index.ts';
import { type Crowd, steadily } from './crowd.ts';

/** Where the manifest says that the bot is; requests to it go where it really is. */
const address = 'https://bot.example.com';

/** People in fifty channels of a Slack workspace, for a bot that listens to a socket or to HTTP requests. */
export async function createSlackCrowd(mode: 'socket' | 'http', size: number): Promise<Crowd> {
  let bot = '';
  const manifest = slackManifest(commands, { prefix: '', ...(mode === 'http' && { url: address }) });
  const slack = await FakeSlack.start({
    manifest: manifest as unknown as Json,
    send: async (request) => {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      return fetch(`${bot}${pathname}`, { method: 'POST', headers: request.headers, body });
    },
  });
  const workspace = slack.addWorkspace('acme');
  const { token } = slack.install(workspace);
  const people = Array.from({ length: size }, (_, index) =>
    slack.person(workspace, { name: `person${index}` }),
  );
  const channels = Array.from({ length: 50 }, (_, index) =>
    slack.channel(workspace, `channel-${index}`, people),
  );
  const { appToken, signingSecret } = slack.credentials;
  let turn = 0;

  return {
    environment: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: token,
      ...(mode === 'http' ? { SLACK_SIGNING_SECRET: signingSecret } : { SLACK_APP_TOKEN: appToken }),
    },
    reached: async (url) => {
      bot = url;
    },
    /** `help` is a slash command, `ask` a message that mentions the bot. */
    give: (command, perSecond, seconds) =>
      steadily(perSecond, seconds, (acknowledged) => {
        const [person, channel] = [people[turn % people.length], channels[turn % channels.length]];
        turn += 1;
        if (!person || !channel) throw new Error('the crowd is empty');
        const heard = ({ ok }: { readonly ok: boolean }) => {
          if (ok) acknowledged();
        };
        if (command === 'help')
          void person.types('/troupe help', channel).then((outcome) => heard(outcome.acknowledged));
        else {
          const said = person.says(`${person.bot} Tell me in 20 words about the sea`, channel);
          void Promise.all(said.deliveries.map(({ done }) => done)).then((all) =>
            heard({ ok: all.every(({ ok }) => ok) }),
          );
        }
      }),
    close: () => slack.stop(),
  };
}
