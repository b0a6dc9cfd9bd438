/** The states of jobs whose question isn't answered; people may answer before it's on record as posted. */
export const unanswered = ['asking', 'asked'] as const;
