/** A question or a button press is not recorded itself: the command that it leads to is, when it starts. */
export const unrecordedRequest = { record: async () => true, abandon: async () => {} };
