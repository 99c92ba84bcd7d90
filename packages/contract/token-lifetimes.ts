/** How long an access token of a bot is valid, in seconds. */
export const botTokenSeconds = 300;
