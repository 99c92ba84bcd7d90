import type { ResponseOf } from '@bailiwick/client/client.ts';
import { TextInput } from '@mantine/core';
import { client } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

export type Group = NonNullable<ResponseOf<'Groups_Get'>['Group']>;

type AddProps = {
  /** The group above the new one. */
  above?: string;
  onClose: () => void;
};

export function AddGroupDialog({ above, onClose }: AddProps) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  // To save an existing path would change that group.
  const takenPath = async (Path: string) => {
    const { Group: match } = await client.call('Groups_Get', { Tenant, Path });
    return match ? { path: t('access.taken') } : {};
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t(above === undefined ? 'access.addGroup' : 'access.addSubgroup')}
      operation="Groups_Save"
      initial={{ path: above === undefined ? '' : `${above}/`, name: '', description: '' }}
      check={({ path }) => ({
        path: /[^/\s]\s*$/.test(path) ? null : t('access.pathMissing'),
      })}
      precheck={({ path }) => takenPath(path.trim())}
      toRequest={({ path, name, description }) => ({
        Group: { Tenant, Path: path.trim(), Name: name.trim(), Description: description },
      })}
      stale={['Groups_ListByTenant']}
      notice={t('access.saved')}
      submit={t('access.addGroup')}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('path')}
            label={t('access.path')}
            description={t('access.pathAbout')}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <TextInput {...form.getInputProps('name')} label={t('access.name')} />
          <TextInput {...form.getInputProps('description')} label={t('access.description')} />
        </>
      )}
    </FormDialog>
  );
}

/** Changes the name and the description of a group. */
export function EditGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID: Tenant } = useTenant();
  const { Path } = group;
  const read = async () => {
    const { Group: stored } = await client.call('Groups_Get', { Tenant, Path });
    return stored ?? group;
  };
  const onDone = () => {
    onClose();
    notify(t('access.saved'));
  };
  return (
    <Dialog title={t('access.editGroup')} onClose={onClose}>
      <EditForm
        operation="Groups_Save"
        record={group}
        fieldsOf={({ Name, Description }) => ({ name: Name, description: Description })}
        toRequest={({ name, description }, base) => ({
          Group: { Tenant, Path, Name: name.trim(), Description: description },
          ...ifUnchanged(base),
        })}
        read={read}
        recordIn={(response) => response.Group ?? group}
        labels={{ name: t('access.name'), description: t('access.description') }}
        stale={['Groups_Get', 'Groups_ListByTenant']}
        onDone={onDone}
        onCancel={onClose}
        submit={t('form.save')}
      >
        {(form) => (
          <>
            <TextInput {...form.getInputProps('name')} label={t('access.name')} data-autofocus />
            <TextInput {...form.getInputProps('description')} label={t('access.description')} />
          </>
        )}
      </EditForm>
    </Dialog>
  );
}
