/// Scratch memory for the cells of one block of points.
struct CellBlock: ~Copyable {
  static let size = 1024
  let columns = UnsafeMutablePointer<Int32>.allocate(capacity: size)
  let rows = UnsafeMutablePointer<Int32>.allocate(capacity: size)
  let x = UnsafeMutablePointer<Double>.allocate(capacity: size)
  let y = UnsafeMutablePointer<Double>.allocate(capacity: size)

  deinit {
    columns.deallocate()
    rows.deallocate()
    x.deallocate()
    y.deallocate()
  }
}
