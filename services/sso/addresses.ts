type Provider = { tenant: string; id: string };

/** The sign-in URLs of a provider, below the public URL. */
export const addressOf = (
  publicUrl: string,
  { tenant, id }: Provider,
  step: 'login' | 'callback' | 'metadata',
) => `${publicUrl}/auth/${tenant}/${id}/${step}`;
