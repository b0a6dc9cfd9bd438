import type { UploadedFile } from './http/form-data.ts';

/** One request and its response. */
export interface Request {
  /** `METHOD /path/{with}/names`, or the plain path if there is no such route. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
  readonly at: number;
  /** 0 if the connection was closed instead. */
  readonly status: number;
  readonly answer: unknown;
}

/** Every request the server received, in order, and every violation of Discord's description. */
export class Journal {
  readonly requests: Request[] = [];
  readonly violations: string[] = [];

  /** Requests to one route. */
  to(route: string): readonly Request[] {
    return this.requests.filter((request) => request.route === route);
  }
}
