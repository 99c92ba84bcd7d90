import { base64, exampleId, exampleToken } from './example-tokens.ts';
import type { Json } from './types.ts';

// Example values of the receivers' portal.

const abilities = ['bodies', 'replay', 'test', 'rotate'];

export const portalValues: Readonly<Record<string, Json | undefined>> = {
  'WebhookPortal.ID': exampleId('wpt'),
  'WebhookPortal.Endpoint': exampleId('whk'),
  'WebhookPortal.Name': 'Globex',
  'WebhookPortal.Abilities': abilities,
  'WebhookPortal.LastOpenedAt': '2026-01-31T12:30:00.000Z',
  'WebhookPortalsCreateRequest.Endpoint': exampleId('whk'),
  'WebhookPortalsCreateRequest.Name': 'Globex',
  'WebhookPortalsCreateRequest.Abilities': abilities,
  ExpiresInMinutes: 10_080,
  Link: `https://id.example.com/portal#${exampleToken('o')}`,
  'WebhookPortalsListRequest.Endpoint': exampleId('whk'),
  'WebhookPortalsDeleteRequest.ID': exampleId('wpt'),
  'PortalOpenRequest.Token': exampleToken('o'),
  'PortalOpenResponse.Token': exampleToken('t'),
  'PortalEndpoint.ID': exampleId('whk'),
  'PortalEndpoint.Name': 'ERP',
  'PortalEndpoint.URL': 'https://erp.example.com/hooks/bailiwick',
  'PortalEndpoint.PreviousSecretUntil': undefined,
  FailingSince: undefined,
  PausedUntil: undefined,
  'PortalGetResponse.Abilities': abilities,
  'PortalRotateSecretResponse.Secret': `whsec_${base64('Example'.repeat(5).slice(0, 32))}`,
  'PortalRotateSecretResponse.PreviousSecretUntil': '2026-02-01T12:00:00.000Z',
};
