import { platformPlace } from '@bailiwick/contract';

type Provider = { tenant: string; id: string };

/** The sign-in URLs of a provider, below the public URL. The platform's have no tenant. */
export const addressOf = (
  publicUrl: string,
  { tenant, id }: Provider,
  step: 'login' | 'callback' | 'metadata',
) => `${publicUrl}/auth/${tenant || platformPlace}/${id}/${step}`;
