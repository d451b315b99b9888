/// The file and the array in a dataset name of GDAL's multidimensional drivers: `NETCDF:"a.nc":t`.
package struct ArrayName: Equatable {
  package var file: String
  /// The name of the array; nil for the only array of a file.
  package var array: String?

  /// - Parameter text: a dataset name of this form, or a path.
  package init(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      ["netcdf", "hdf5", "zarr"].contains(
        String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
    else {
      (file, array) = (text, nil)
      return
    }
    var rest = bytes[(colon + 1)...]
    if rest.first == UInt8(ascii: "\"") {
      rest = rest.dropFirst()
      let end = rest.firstIndex(of: UInt8(ascii: "\"")) ?? rest.endIndex
      file = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[end...].dropFirst().drop { $0 == UInt8(ascii: ":") }
    } else {
      let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      file = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[end...].dropFirst()
    }
    // Array names in HDF5 dataset names begin with two slashes. Array names in Zarr dataset names
    // may be followed by indices.
    while rest.count > 1, rest.first == UInt8(ascii: "/"),
      rest[rest.index(after: rest.startIndex)] == UInt8(ascii: "/")
    {
      rest = rest.dropFirst()
    }
    let name = rest.prefix { $0 != UInt8(ascii: ":") }
    // GDAL searches for an array in a group by its whole path.
    let isRelative = name.contains(UInt8(ascii: "/")) && name.first != UInt8(ascii: "/")
    array = name.isEmpty ? nil : (isRelative ? "/" : "") + String(decoding: name, as: UTF8.self)
  }
}
