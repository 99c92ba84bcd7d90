import { client } from '../parts/calls.ts';
import { Card } from '../parts/card.tsx';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { messagesAt } from '../parts/field-errors.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { ConnectionFields } from './connection-fields.tsx';
import { MembershipFields } from './membership-fields.tsx';
import { changeOf, fieldsOf, type Labels, type Provider, paths } from './provider-fields.ts';

/** Everything of a provider that can be changed, which is saved together. */
export function ProviderForm({ provider }: { provider: Provider }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { scope, name } = useOwner();
  const { ID, Kind } = provider;
  const isPlatform = name === '';
  const labels = useLabels();
  const needed = (text: string) => (text.trim() === '' ? t('signon.fieldMissing') : null);
  return (
    <EditForm
      operation="Sso_SaveProvider"
      record={provider}
      fieldsOf={fieldsOf}
      check={({ name, issuer, client }) => ({
        name: needed(name),
        ...(Kind !== 'saml' && { issuer: needed(issuer), client: needed(client) }),
      })}
      refused={(error) => messagesAt(error, paths)}
      toRequest={(fields, base) => ({
        Provider: { ...scope, ...changeOf(fields, base, isPlatform) },
        ...(fields.secret !== '' && { Secret: fields.secret }),
        ...ifUnchanged(base),
      })}
      secret={{ secret: '…' }}
      read={async () => (await client.call('Sso_GetProvider', { ...scope, ID })).Provider}
      recordIn={({ Provider }) => Provider}
      labels={labels}
      stale={['Sso_GetProvider', 'Sso_ListProviders']}
      onDone={({ Provider }) => notify(t('signon.saved', { name: Provider.Name }))}
      submit={t('form.save')}
    >
      {(form) => {
        const fields = { provider, form, labels, isPlatform };
        return (
          <>
            <Card title={t('signon.connection')} description={t('signon.connectionAbout')}>
              <ConnectionFields {...fields} />
            </Card>
            <Card title={t('signon.membership')} description={t('signon.membershipAbout')}>
              <MembershipFields {...fields} />
            </Card>
          </>
        );
      }}
    </EditForm>
  );
}

function useLabels(): Labels {
  const { t } = useTexts();
  return {
    name: t('signon.name'),
    issuer: 'Issuer',
    client: 'Client ID',
    secret: t('signon.newSecret'),
    metadata: t('signon.metadataUrl'),
    encrypted: t('signon.encrypted'),
    asks: t('signon.askCertificates'),
    jit: t('signon.jit'),
    roles: t('signon.roles'),
    mappings: t('signon.mappings'),
    keepsAbsent: t('signon.keepsAbsent'),
  };
}
