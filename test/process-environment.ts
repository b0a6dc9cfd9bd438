/** What a process that a test starts gets of this one's environment: nothing but what it needs to run, and to start quickly. */
export const processEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
