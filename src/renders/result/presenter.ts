import type {
  Job,
  LateNotice,
  Message,
  MessageAddress,
  OutgoingFile,
  PlatformAdapter,
  PlatformErrorKind,
} from '../../port/index.ts';
import type { Render } from '../render.ts';

/** How far a render is. */
export interface RenderProgress {
  /** Milliseconds since it was asked for. */
  readonly elapsed: number;
  /** 0 to 1, where the service tells. */
  readonly fraction?: number;
  /** Its place in line, 1 for the next, while it waits for the key's limits. */
  readonly place?: number;
  /** It takes much longer than such a render usually does. */
  readonly late?: boolean;
}

/** What was made, as it can be posted at the render's place. */
export type Rendered =
  | { readonly file: OutgoingFile }
  /** Too large for the place. */
  | { readonly tooLarge: { readonly bytes: number; readonly limit: number; readonly link?: string } }
  /** The place does not take the file: only its address is left. */
  | { readonly elsewhere: { readonly link: string } };

/** `plain`: nothing that a place could refuse, so neither buttons nor what people wrote. */
export interface Presentation {
  readonly plain?: boolean;
}

/** What is said, and whether it takes the place of the message that showed the progress or is a new one. */
export interface Presented {
  readonly message: Message;
  /**
   * `complete`: the message becomes the result. `post`: the result is a message of its own, and the one that
   * showed the progress then shows `before`.
   */
  readonly as: 'complete' | 'post';
  readonly before?: Message;
}

/** What people see of one kind of render; given by the command that asks for it. */
export interface RenderPresenter {
  readonly fileName: (render: Render) => string;
  readonly fileDescription: (render: Render, job: Job) => string;
  /**
   * Makes the place where the progress is shown and the result posted, and answers its message; without it that
   * is the message the render began with. Called again after a crash: it must come to the same place.
   */
  place?(adapter: PlatformAdapter, render: Render, job: Job): Promise<MessageAddress>;
  progress(render: Render, job: Job, progress: RenderProgress): Message;
  ready(render: Render, job: Job, rendered: Rendered, how?: Presentation): Presented;
  /** It is made, and doesn't get through to its place for long; it is tried further. */
  notPostedYet(job: Job): LateNotice;
  /** Above what comes directly instead, by what its place said. */
  sentDirectly(job: Job, why?: PlatformErrorKind): string;
  /** It failed, or nobody knows whether it was ever begun (`uncertain`). */
  ended(render: Render, job: Job, how?: Presentation): Presented;
}
