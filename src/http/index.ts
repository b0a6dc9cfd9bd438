export { limitBody } from './body-limit.ts';
export * from './local-request.ts';
