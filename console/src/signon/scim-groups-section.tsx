import { TextInput } from '@mantine/core';
import { Card } from '../parts/card.tsx';
import { useTexts } from '../parts/texts.tsx';
import { type FullTenant, TenantForm } from '../settings/tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({ parent: Settings.ScimGroupParent });

/** Where the directory creates its groups. */
export function ScimGroupsSection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = { parent: t('signon.scimParent') };
  return (
    <TenantForm
      tenant={tenant}
      fieldsOf={fieldsOf}
      toChange={({ parent }) => ({ Settings: { ScimGroupParent: parent.trim() } })}
      labels={labels}
    >
      {(form) => (
        <Card title={t('signon.scimGroups')} description={t('signon.scimGroupsAbout')}>
          <TextInput
            {...form.getInputProps('parent')}
            label={labels.parent}
            description={t('signon.scimParentAbout')}
            autoComplete="off"
            spellCheck={false}
          />
        </Card>
      )}
    </TenantForm>
  );
}
