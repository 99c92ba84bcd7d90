import type { ItemOf, RequestOf } from '@bailiwick/client/client.ts';
import type { UseFormReturnType } from '@mantine/form';

// The fields of a provider that can be changed, which are saved together.

export type Provider = ItemOf<'Sso_ListProviders'>;
type Change = Omit<NonNullable<RequestOf<'Sso_SaveProvider'>['Provider']>, 'Tenant' | 'Platform'>;

export const fieldsOf = (provider: Provider) => ({
  name: provider.Name,
  issuer: provider.Issuer,
  client: provider.ClientID,
  secret: '',
  metadata: provider.MetadataURL,
  encrypted: provider.WantEncrypted,
  asks: provider.CertificateChanges === 'ask',
  jit: provider.Jit,
  roles: provider.DefaultRoles,
  mappings: provider.GroupMappings,
  keepsAbsent: provider.AbsentGroups === 'keep',
});

type Fields = ReturnType<typeof fieldsOf>;
export type Labels = Readonly<Record<keyof Fields, string>>;

export type FieldsProps = {
  provider: Provider;
  form: UseFormReturnType<Fields>;
  labels: Labels;
  isPlatform: boolean;
};

export const changeOf = (fields: Fields, { ID, Kind }: Provider, isPlatform: boolean): Change => ({
  ID,
  Name: fields.name.trim(),
  ...(Kind === 'saml'
    ? {
        WantEncrypted: fields.encrypted,
        MetadataURL: fields.metadata.trim(),
        CertificateChanges: fields.asks ? 'ask' : 'auto',
      }
    : { Issuer: fields.issuer.trim(), ClientID: fields.client.trim() }),
  Jit: fields.jit,
  // People of the platform's providers belong to no tenant yet.
  ...(!isPlatform && {
    DefaultRoles: fields.roles,
    GroupMappings: fields.mappings,
    AbsentGroups: fields.keepsAbsent ? 'keep' : 'remove',
  }),
});

/** The places of the fields in the call. */
export const paths = {
  name: 'Provider.Name',
  issuer: 'Provider.Issuer',
  client: 'Provider.ClientID',
  metadata: 'Provider.MetadataURL',
  roles: 'Provider.DefaultRoles',
};
