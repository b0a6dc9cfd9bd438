import {
  type Address,
  climb,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
} from '../../src/port/index.ts';

/** A running platform, and who asked for what is brought. */
interface Asked {
  readonly platform: { readonly adapter: Pick<PlatformAdapter, 'doors'> };
  readonly ada: { readonly user: { readonly id: string } };
}

/** Brings a result of Ada's to its place, or to her directly, by the doors: as all that has to reach somebody comes. */
export async function bring(
  { platform, ada }: Asked,
  address: Address,
  result: Message,
  key: string,
): Promise<MessageAddress> {
  const requester = { id: ada.user.id, name: 'Ada', locale: 'en' } as const;
  const job = { address, requester, options: {} } as unknown as Job;
  const { at } = await climb({
    ...{ audience: 'place', isPaid: true, key: () => key },
    doors: () => platform.adapter.doors(job),
    forms: new Map([['whole', () => result]]),
    sentDirectly: () => 'I couldn’t post this where you asked for it.',
  });
  return at;
}
