import CGDAL
import PlumbCore

/// A file of arrays. GDAL opens it to read the arrays' dimensions and coordinate variables.
final class ArrayFile {
  private let dataset: GDALDatasetH
  fileprivate let root: GDALGroupH

  /// - Returns: nil if no multidimensional driver opens it.
  init?(path: String, drivers: [String]) {
    let flags = UInt32(GDAL_OF_MULTIDIM_RASTER | GDAL_OF_READONLY)
    plumb_gdal_silence_thread()
    guard let dataset = withNames(drivers, { GDALOpenEx(path, flags, $0, nil, nil) }) else {
      return nil
    }
    guard let root = GDALDatasetGetRootGroup(dataset) else {
      plumb_gdal_close(dataset)
      return nil
    }
    (self.dataset, self.root) = (dataset, root)
  }

  deinit {
    GDALGroupRelease(root)
    plumb_gdal_close(dataset)
  }

  /// The array with the given name, which may be preceded by a path of groups.
  func array(_ name: String) -> FileArray? {
    GDALGroupResolveMDArray(root, name, "/", nil).map { FileArray($0) }
  }

  /// The array that an attribute of another array names. It is in the same group, or in any group.
  func array(_ name: String, namedBy other: FileArray) -> FileArray? {
    array(other.path(of: name)) ?? array(name)
  }

  /// An array with three or more dimensions as a raster: its rows and columns are the last two
  /// dimensions, and its bands are the indices of the other dimensions, the last of which varies
  /// fastest.
  ///
  /// - Returns: nil for an array with fewer dimensions, and if there is no such array.
  func raster(ofArray name: String) -> GDALDatasetH? {
    guard let array = GDALGroupResolveMDArray(root, name, "/", nil) else { return nil }
    defer { GDALMDArrayRelease(array) }
    var count = 0
    let list = GDALMDArrayGetDimensions(array, &count)
    GDALReleaseDimensions(list, count)
    guard count > 2 else { return nil }
    return GDALMDArrayAsClassicDataset(array, count - 1, count - 2)
  }

  /// The names of the arrays that are not in a group.
  var names: [String] {
    let list = GDALGroupGetMDArrayNames(root, nil)
    defer { CSLDestroy(list) }
    return strings(list)
  }

  /// A string attribute of the whole file.
  func text(_ name: String) -> String? { attributeText(GDALGroupGetAttribute(root, name)) }
}

/// One array of a file.
final class FileArray {
  private let handle: GDALMDArrayH
  let name: String
  let dimensions: [ArrayDimension]

  fileprivate init(_ handle: GDALMDArrayH) {
    self.handle = handle
    name = GDALMDArrayGetName(handle).map { String(cString: $0) } ?? ""
    var count = 0
    let list = GDALMDArrayGetDimensions(handle, &count)
    defer { GDALReleaseDimensions(list, count) }
    var dimensions: [ArrayDimension] = []
    for number in 0..<count {
      guard let dimension = list?[number] else { continue }
      dimensions.append(
        ArrayDimension(
          name: GDALDimensionGetName(dimension).map { String(cString: $0) } ?? "",
          size: Int(clamping: GDALDimensionGetSize(dimension)),
          variable: GDALDimensionGetIndexingVariable(dimension).map { FileArray(leaf: $0) }))
    }
    self.dimensions = dimensions
  }

  /// Creates an array without its dimensions' coordinate variables, because the array may itself be
  /// a coordinate variable.
  private init(leaf handle: GDALMDArrayH) {
    self.handle = handle
    name = GDALMDArrayGetName(handle).map { String(cString: $0) } ?? ""
    var count = 0
    let list = GDALMDArrayGetDimensions(handle, &count)
    defer { GDALReleaseDimensions(list, count) }
    dimensions = (0..<count).compactMap { number in
      list?[number].map {
        ArrayDimension(
          name: GDALDimensionGetName($0).map { String(cString: $0) } ?? "",
          size: Int(clamping: GDALDimensionGetSize($0)), variable: nil)
      }
    }
  }

  deinit { GDALMDArrayRelease(handle) }

  /// The name, preceded by the path of its groups; nil if it is not known.
  var fullName: String? { GDALMDArrayGetFullName(handle).map { String(cString: $0) } }

  /// A name in the attributes of the array, preceded by the path of the array's groups.
  func path(of name: String) -> String {
    let groups = (fullName ?? self.name).split(separator: "/").dropLast()
    return groups.isEmpty ? name : "/" + (groups + [Substring(name)]).joined(separator: "/")
  }

  /// A string attribute.
  func text(_ name: String) -> String? { attributeText(GDALMDArrayGetAttribute(handle, name)) }

  /// The numbers of an attribute; empty if the array has no attribute of this name, or if the
  /// attribute is text.
  func numbers(_ name: String) -> [Double] {
    attributeNumbers(GDALMDArrayGetAttribute(handle, name))
  }

  /// The unit of the values; empty if the file does not specify one.
  var unit: String {
    GDALMDArrayGetUnit(handle).map { String(cString: $0) } ?? ""
  }

  /// Whether values are stored as floating-point numbers of 32 bits.
  var isSingle: Bool { hasType(GDT_Float32) }

  /// Whether values are read as unsigned bytes.
  var hasUnsignedBytes: Bool { hasType(GDT_Byte) }

  private func hasType(_ wanted: GDALDataType) -> Bool {
    guard let type = GDALMDArrayGetDataType(handle) else { return false }
    defer { GDALExtendedDataTypeRelease(type) }
    return GDALExtendedDataTypeGetNumericDataType(type) == wanted
  }

  /// A window of the values as doubles, without scale and offset; nil if the values cannot be read.
  ///
  /// - Parameters:
  ///   - start: the first index in each dimension.
  ///   - count: the number of values in each dimension.
  func values(start: [Int], count: [Int]) -> [Double]? {
    values(GDT_Float64, start: start, count: count, initial: .nan)
  }

  /// A window of the values, read as a given type, without scale and offset; nil if the values
  /// cannot be read.
  ///
  /// - Parameters:
  ///   - kind: GDAL's name of the type `Value`.
  ///   - start: the first index in each dimension.
  ///   - count: the number of values in each dimension.
  ///   - initial: any value of the type.
  func values<Value: BitwiseCopyable>(
    _ kind: GDALDataType, start: [Int], count: [Int], initial: Value
  ) -> [Value]? {
    guard let type = GDALExtendedDataTypeCreate(kind) else { return nil }
    defer { GDALExtendedDataTypeRelease(type) }
    var values = [Value](repeating: initial, count: count.reduce(1, *))
    let isRead = values.withUnsafeMutableBytes { bytes in
      GDALMDArrayRead(
        handle, start.map { UInt64($0) }, count, nil, nil, type, bytes.baseAddress,
        bytes.baseAddress, bytes.count)
    }
    guard isRead != 0 else { return nil }
    return values
  }

  /// All values of the array, with scale and offset applied; NaN for missing values.
  func coordinates() -> [Double]? {
    guard
      var values = values(
        start: dimensions.map { _ in 0 }, count: dimensions.map(\.size))
    else { return nil }
    for missing in numbers("_FillValue") + numbers("missing_value") {
      for index in values.indices where values[index] == missing { values[index] = .nan }
    }
    var (hasScale, hasOffset): (Int32, Int32) = (0, 0)
    let scale = GDALMDArrayGetScale(handle, &hasScale)
    let offset = GDALMDArrayGetOffset(handle, &hasOffset)
    guard hasScale != 0 || hasOffset != 0 else { return values }
    return values.map { $0 * (hasScale != 0 ? scale : 1) + (hasOffset != 0 ? offset : 0) }
  }
}

/// A dimension of an array.
struct ArrayDimension {
  var name: String
  var size: Int
  /// The dimension's coordinate variable; nil if the dimension has none.
  var variable: FileArray?
}

private func attributeNumbers(_ attribute: GDALAttributeH?) -> [Double] {
  guard let attribute else { return [] }
  defer { GDALAttributeRelease(attribute) }
  guard let type = GDALAttributeGetDataType(attribute) else { return [] }
  defer { GDALExtendedDataTypeRelease(type) }
  guard GDALExtendedDataTypeGetClass(type) == GEDTC_NUMERIC else { return [] }
  var count = 0
  guard let numbers = GDALAttributeReadAsDoubleArray(attribute, &count) else { return [] }
  defer { VSIFree(numbers) }
  return Array(UnsafeBufferPointer(start: numbers, count: count))
}

private func attributeText(_ attribute: GDALAttributeH?) -> String? {
  guard let attribute else { return nil }
  defer { GDALAttributeRelease(attribute) }
  return GDALAttributeReadAsString(attribute).map { String(cString: $0) }
}
