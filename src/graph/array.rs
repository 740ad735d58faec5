//! A read-only array that is owned or lies in a mapped file.

use memmap2::Mmap;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Shared, read-only array; copies share it.
pub struct Array<T: bytemuck::Pod> {
    data: Data<T>,
}

enum Data<T> {
    Owned(Arc<Vec<T>>),
    Mapped(Arc<Mmap>, Range<usize>),
}

impl<T: bytemuck::Pod> Array<T> {
    /// The bytes `range` of a mapped file, or `None` where they do not lie in it, are not aligned or not a
    /// whole number of items.
    pub(super) fn mapped(map: &Arc<Mmap>, range: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(map.get(range.clone())?).ok()?;
        Some(Array { data: Data::Mapped(Arc::clone(map), range) })
    }

    /// Whether it lies in a mapped file.
    pub(super) fn is_mapped(&self) -> bool {
        matches!(self.data, Data::Mapped(..))
    }
}

impl<T: bytemuck::Pod> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.data {
            Data::Owned(items) => items,
            Data::Mapped(map, range) => bytemuck::cast_slice(&map[range.clone()]),
        }
    }
}

impl<T: bytemuck::Pod> From<Vec<T>> for Array<T> {
    fn from(items: Vec<T>) -> Self {
        Array { data: Data::Owned(Arc::new(items)) }
    }
}

impl<T: bytemuck::Pod> Clone for Array<T> {
    fn clone(&self) -> Self {
        let data = match &self.data {
            Data::Owned(items) => Data::Owned(Arc::clone(items)),
            Data::Mapped(map, range) => Data::Mapped(Arc::clone(map), range.clone()),
        };
        Array { data }
    }
}

impl<T: bytemuck::Pod + fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
