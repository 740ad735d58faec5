// Sorting of the ranking; without scripts it stands in the order of its first column.
document.querySelectorAll('.scope table').forEach(function (table) {
  var heads = table.querySelectorAll('thead th'), body = table.tBodies[0];
  function value(row, i) { return parseFloat(row.cells[i].querySelector('span').textContent.replace(/,/g, '')) || 0; }
  heads.forEach(function (head, i) {
    if (!i) return;
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.textContent = '';
    head.appendChild(button);
    button.onclick = function () {
      var down = head.getAttribute('aria-sort') !== 'descending';
      heads.forEach(function (other) { other.removeAttribute('aria-sort'); });
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      Array.from(body.rows).sort(function (a, b) {
        return (value(a, i) - value(b, i)) * (down ? -1 : 1);
      }).forEach(function (row) { body.appendChild(row); });
    };
  });
});
