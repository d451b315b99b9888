/// A binary heap, the least first.
struct Heap<Element> {
  private var items: [Element] = []
  private let isLess: (Element, Element) -> Bool

  init(_ isLess: @escaping (Element, Element) -> Bool) { self.isLess = isLess }

  mutating func push(_ item: Element) {
    items.append(item)
    var index = items.count - 1
    while index > 0, isLess(items[index], items[(index - 1) / 2]) {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func pop() -> Element? {
    guard let last = items.popLast() else { return nil }
    guard let first = items.first else { return last }
    items[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && isLess(items[child], items[least]) { least = child }
      if least == index { return first }
      items.swapAt(index, least)
      index = least
    }
  }
}
