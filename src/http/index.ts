export { limitBody, readAtMost } from './body-limit.ts';
export * from './local-request.ts';
